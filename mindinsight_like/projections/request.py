"""A projection request: the method and the parameters relevant to it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from importlib.util import find_spec

PCA, TSNE, UMAP = METHODS = ("pca", "tsne", "umap")
EUCLIDEAN, COSINE = METRICS = ("euclidean", "cosine")

_VERSION = 1  # raised when the same question gets other points
_PACKAGES = {TSNE: "openTSNE", UMAP: "umap-learn"}
_MODULES = {TSNE: "openTSNE", UMAP: "umap"}
_NAMES = {PCA: "PCA", TSNE: "t-SNE", UMAP: "UMAP"}
_RELEVANT_FIELDS = {
    PCA: ("method", "metric"),
    TSNE: ("method", "metric", "dimensions", "perplexity", "iterations"),
    UMAP: ("method", "metric", "dimensions", "neighbours", "min_distance"),
}


@dataclass(frozen=True)
class ProjectionRequest:
    method: str
    dimensions: int = 3  # PCA gives its first components in any case
    metric: str = EUCLIDEAN
    perplexity: float = 30.0
    iterations: int = 750
    neighbours: int = 15
    min_distance: float = 0.1

    @property
    def matters(self) -> dict[str, object]:
        """The parameters that the method looks at."""
        return {name: value for name, value in asdict(self).items() if name in _RELEVANT_FIELDS[self.method]}

    def id_for(self, content: str) -> str:
        """The name of this projection of some vectors: the same question about the same vectors has the same one."""
        key = json.dumps([_VERSION, content, self.matters], sort_keys=True)
        return hashlib.blake2b(key.encode(), digest_size=16).hexdigest()


def name_of(method: str) -> str:
    """The method as people know it."""
    return _NAMES[method]


def missing_package(method: str) -> str | None:
    """What has to be installed before the method can be used, None when nothing is missing."""
    # Only looked for: importing it would cost web workers seconds and their memory.
    return None if method == PCA or find_spec(_MODULES[method]) else _PACKAGES[method]


def how_to_install(method: str) -> str:
    return f"{name_of(method)} needs the package {_PACKAGES[method]}: pip install 'mindinsight-like[projections]'"
