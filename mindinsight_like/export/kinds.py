"""Registry of the kinds that can be exported, and their formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mindinsight_like.export import rows
from mindinsight_like.export.arrays import arrays_by_step
from mindinsight_like.export.documents import item_document, scalar_document
from mindinsight_like.export.files import as_array, as_logged, as_png, as_text, one_file_each
from mindinsight_like.export.graphs import node_table
from mindinsight_like.export.job import Job
from mindinsight_like.export.sessions import as_csv, as_json, sessions
from mindinsight_like.export.tables import item_columns, item_table, scalar_columns, scalar_table
from mindinsight_like.items import series
from mindinsight_like.items.series import ItemKind
from mindinsight_like.logs.kinds import Kind
from mindinsight_like.values import meshes
from mindinsight_like.values.tensors import tensors

Write = Callable[[Job], None]


@dataclass(frozen=True)
class ExportKind:
    kind: Kind
    formats: Mapping[str, Write]  # the first is used unless another is asked for


def _tables(kind: ItemKind[Any], filled: rows.Rows) -> dict[str, Write]:
    return {name: item_table(name, kind, filled) for name in ("csv", "parquet")}


_TENSOR_ARRAYS = ItemKind(Kind.TENSOR, lambda record: [tensors.decode(record)])
_MESH_ARRAYS = ItemKind(Kind.MESH, lambda record: [meshes.decode_tensor(record)])

KINDS: dict[str, ExportKind] = {
    "scalars": ExportKind(
        Kind.SCALAR,
        {
            "csv": scalar_table("csv"),
            "parquet": scalar_table("parquet"),
            "npz": scalar_columns,
            "json": scalar_document,
        },
    ),
    "images": ExportKind(
        Kind.IMAGE,
        {"original": one_file_each(series.IMAGES, as_logged), "png": one_file_each(series.IMAGES, as_png)},
    ),
    "video": ExportKind(Kind.VIDEO, {"gif": one_file_each(series.VIDEOS, as_logged)}),
    "audio": ExportKind(Kind.AUDIO, {"wav": one_file_each(series.SOUNDS, as_logged)}),
    "texts": ExportKind(
        Kind.TEXT,
        {
            "json": item_document(series.TEXTS),
            **_tables(series.TEXTS, rows.TEXTS),
            "txt": one_file_each(series.TEXTS, as_text),
        },
    ),
    "histograms": ExportKind(
        Kind.HISTOGRAM,
        {
            "parquet": item_table("parquet", series.HISTOGRAMS, rows.HISTOGRAMS),
            "csv": item_table("csv", series.HISTOGRAMS, rows.BUCKETS),
            "npz": item_columns(series.HISTOGRAMS, rows.HISTOGRAMS),
            "json": item_document(series.HISTOGRAMS),
        },
    ),
    "tensors": ExportKind(
        Kind.TENSOR,
        {
            "npz": arrays_by_step(_TENSOR_ARRAYS),
            "npy": one_file_each(series.TENSORS, as_array),
            **_tables(series.TENSORS, rows.TENSORS),
        },
    ),
    "pr-curves": ExportKind(
        Kind.PR_CURVE,
        {
            **_tables(series.PR_CURVES, rows.PR_CURVES),
            "npz": item_columns(series.PR_CURVES, rows.PR_CURVES),
            "json": item_document(series.PR_CURVES),
        },
    ),
    "roc-curves": ExportKind(
        Kind.ROC_CURVE,
        {
            **_tables(series.ROC_CURVES, rows.ROC_CURVES),
            "npz": item_columns(series.ROC_CURVES, rows.ROC_CURVES),
            "json": item_document(series.ROC_CURVES),
        },
    ),
    "embeddings": ExportKind(
        Kind.EMBEDDING,
        {
            "parquet": item_table("parquet", series.EMBEDDINGS, rows.POINTS),
            "npy": one_file_each(series.EMBEDDINGS, as_array),
            "json": item_document(series.EMBEDDINGS),
        },
    ),
    "meshes": ExportKind(
        Kind.MESH,
        {"npz": arrays_by_step(_MESH_ARRAYS), "npy": one_file_each(series.MESHES, as_array)},
    ),
    "landscapes": ExportKind(Kind.LANDSCAPE, {"json": item_document(series.LANDSCAPES)}),
    "graphs": ExportKind(Kind.GRAPH, {"csv": node_table("csv"), "parquet": node_table("parquet")}),
    "hparams": ExportKind(Kind.HPARAMS, {"csv": sessions("csv", as_csv), "json": sessions("json", as_json)}),
    "custom-scalars": ExportKind(Kind.CUSTOM_SCALARS, {"json": item_document(series.CHART_LAYOUTS)}),
}
