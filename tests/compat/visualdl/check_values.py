"""Every call of LogWriter leaves the message that VisualDL's own writer leaves, and VisualDL reads it.

Run in an environment with visualdl 2.5.3; it needs numpy's old names, which it is given here.
"""

import io
import tempfile
from pathlib import Path

import matplotlib
import numpy as np
import visualdl
from matplotlib import pyplot
from PIL import Image
from visualdl.proto.record_pb2 import Record
from visualdl.reader.reader import LogReader as TheirReader

import mindinsight_like as mi

matplotlib.use("Agg")
np.float = float  # VisualDL's curves use a name that numpy has dropped

RANDOM = np.random.default_rng(5)
TIME = 1_700_000_000_123
LABELS, PREDICTIONS = RANDOM.integers(0, 2, 200), RANDOM.random(200)
WORDS = [f"word {number}" for number in range(6)]
WAY_OUT = {"all/roc", "all/roc/weighted"}  # VisualDL's rate of true positives is wrong; see below


def record(writer):
    """Everything that VisualDL's writer takes without help, each time at a known moment."""
    for step in range(-1, 4):
        writer.add_scalar("all/scalar", step * 1.5, step, walltime=TIME + step)
        writer.add_scalar("标量", np.float32(step) / 3, step, walltime=TIME)
        writer.add_scalars("all/pair", {"sin": np.sin(step), "cos": np.cos(step), "zero": 0.0}, step, walltime=TIME)
    writer.add_scalar("nan", float("nan"), 2**40, walltime=TIME)
    writer.add_scalar("inf", float("-inf"), 0, walltime=TIME)
    for name, picture, dataformats in pictures():
        writer.add_image(name, picture, 3, walltime=TIME, dataformats=dataformats)
    writer.add_image_matrix("all/matrix", [np.full((9, 13, 3), 40 * n, np.uint8) for n in range(5)], 0, walltime=TIME)
    writer.add_image_matrix("all/rows", [np.full((9 + n, 13, 3), 9, np.uint8) for n in range(4)], 0, 1, walltime=TIME)
    writer.add_figure("all/figure", figure(), 0, walltime=TIME)
    writer.add_text("all/text", "第二条 🙂", 4, walltime=TIME)
    writer.add_text("all/text", "", None, walltime=TIME)
    writer.add_audio("all/tone", np.sin(np.arange(800) / 5), 2, sample_rate=8000, walltime=TIME)
    writer.add_audio("all/loud", (np.arange(50) / 10 - 2.5).reshape(50, 1), 2, 44100, walltime=TIME)
    writer.add_embeddings("all/points", RANDOM.random((6, 5)), WORDS, walltime=TIME)
    writer.add_embeddings("all/columns", RANDOM.random((6, 3)).tolist(), [WORDS, WORDS], walltime=TIME)
    writer.add_embeddings("all/named", RANDOM.random((6, 3)), [WORDS, WORDS], ["word", "again"], walltime=TIME)
    for step, values in enumerate((RANDOM.normal(size=(20, 30)), np.zeros(4), np.arange(9), [1.5])):
        writer.add_histogram("all/histogram", values, step, walltime=TIME, buckets=7)
    writer.add_hparams({"lr": 0.1, "batch": 64, "opt": "SGD", "none": None}, ["all/scalar"], TIME)
    for add, tag in ((writer.add_pr_curve, "all/pr"), (writer.add_roc_curve, "all/roc")):
        add(tag, LABELS, PREDICTIONS, 1, 21, walltime=TIME)
        add(tag, list(LABELS), list(PREDICTIONS), 2, walltime=TIME)
        add(f"{tag}/weighted", LABELS, PREDICTIONS, 1, 500, 3.0, walltime=TIME)
    writer.add_meta(display_name="renamed", walltime=TIME)


def pictures():
    """Pictures of every order of dimensions and kind of values."""
    generator = np.random.default_rng(6)
    yield "image/bytes", generator.integers(0, 256, (24, 32, 3), np.uint8), "HWC"
    yield "image/gray", generator.integers(0, 256, (24, 32, 1), np.uint8), "HWC"
    yield "image/alpha", generator.integers(0, 256, (24, 32, 4), np.uint8), "HWC"
    yield "image/chw", generator.integers(0, 256, (3, 24, 32), np.uint8), "CHW"
    yield "image/hw", generator.integers(0, 256, (24, 32), np.uint8), "HW"
    yield "image/grid", generator.integers(0, 256, (9, 3, 4, 5), np.uint8), "NCHW"
    yield "image/shares", generator.random((24, 32, 3), np.float32), "HWC"
    yield "image/brightness", generator.random((24, 32, 3), np.float32) * 255, "HWC"
    yield "image/mask", generator.integers(0, 2, (24, 32, 1), np.uint8), "HWC"


def figure():
    """A matplotlib figure with a curve."""
    plot, axes = pyplot.subplots(figsize=(2, 1.5))
    axes.plot([1, 3, 2])
    return plot


def messages(path):
    """The records of a file, by VisualDL's own message class."""
    content = Path(path).read_bytes()
    while content:
        length = int.from_bytes(content[:8], "little")
        (value,) = Record.FromString(content[8 : 8 + length]).values
        content = content[8 + length :]
        yield value


def pixels(value):
    return np.asarray(Image.open(io.BytesIO(value.image.encoded_image_string)))


def check_messages(folder):
    """The same messages in the same order, down to the last byte where no compression has a say."""
    global RANDOM
    files = []
    for writer_class, name in ((visualdl.LogWriter, "theirs"), (mi.LogWriter, "ours")):
        RANDOM = np.random.default_rng(5)
        with writer_class(str(folder / name), display_name="everything") as writer:
            record(writer)
            files.append(writer.file_name)
    theirs, ours = (list(messages(file)) for file in files)

    assert len(theirs) == len(ours)
    for their, our in zip(theirs[1:], ours[1:], strict=True):
        if their.HasField("image"):
            assert np.array_equal(pixels(their), pixels(our)), their.tag
            their.image.encoded_image_string = our.image.encoded_image_string = b""
        if their.HasField("hparam"):
            their.hparam.name = our.hparam.name  # it is made of the file's path
        if their.tag in WAY_OUT:
            curve = our.roc_curve
            positives = np.maximum(1e-7, np.add(curve.TP, curve.FN))
            assert np.array_equal(curve.tpr, np.divide(curve.TP, positives))
            del their.roc_curve.tpr[:], our.roc_curve.tpr[:]
        assert their.SerializeToString() == our.SerializeToString(), (their, our)
    print(len(ours), "records are those of VisualDL, except for its wrong true positive rate")
    return files[1]


def check_readers(path):
    """VisualDL's reader and ours give the same values of our file."""
    theirs, ours = TheirReader(file_path=path), mi.LogReader(file_path=path)

    tags = theirs.get_tags()
    assert {name: sorted(found) for name, found in tags.items()} == {
        name: sorted(found) for name, found in ours.get_tags().items()
    }
    count = 0
    for component, found in tags.items():
        for tag in found:
            their, our = theirs.get_data(component, tag), ours.get_data(component, tag)
            key = (lambda value: (value.tag_value.tag, value.id)) if component == "scalars" else lambda _: 0
            assert len(their) == len(our), tag
            for one, other in zip(sorted(their, key=key), sorted(our, key=key), strict=True):
                assert same(one, other), (one, other)
                count += 1

    run = str(Path(path).parent)
    theirs, ours = TheirReader(str(Path(path).parent.parent)), mi.LogReader(str(Path(path).parent.parent))
    assert sorted(theirs.runs()) == sorted(ours.runs())
    assert theirs.components() == ours.components()
    assert theirs.tags() == ours.tags()
    for component, tag in (("scalar", "all%scalar"), ("scalars", "all%pair")):
        assert sorted(theirs.get_log_data(component, run, tag)) == sorted(ours.get_log_data(component, run, tag))
    assert theirs.tags2name[run] == "everything" and ours.tags2name[run] == "renamed"
    print(count, "values are read equally by both readers")


def same(their, our):
    """Whether a message of VisualDL and a value of ours agree."""
    kind = their.WhichOneof("one_value")
    if (their.id, their.tag, their.timestamp) != (our.id, our.tag, our.timestamp):
        return False
    if kind == "value":
        return their.value == our.value or (np.isnan(their.value) and np.isnan(our.value))
    return plain(getattr(their, kind)) == plain(getattr(our, kind))


def plain(message):
    """The fields of a message as lists and numbers."""
    if hasattr(message, "DESCRIPTOR"):
        return {field.name: plain(getattr(message, field.name)) for field in message.DESCRIPTOR.fields}
    if hasattr(message, "__dataclass_fields__"):
        return {name: plain(getattr(message, name)) for name in message.__dataclass_fields__}
    if isinstance(message, (str, bytes, int, float)):
        return message
    return [plain(part) for part in message]


def check_continuing(folder):
    """VisualDL reads on in a file that ours continued after a crash, and the other way round."""
    name = "vdlrecords.continued.log"
    for number, writer_class in enumerate((visualdl.LogWriter, mi.LogWriter, visualdl.LogWriter, mi.LogWriter)):
        with writer_class(str(folder), file_name=name) as writer:
            writer.add_scalar("loss", 1.0, number)
        if number == 2:
            path = folder / name
            path.write_bytes(path.read_bytes() + b"\x40\0\0\0\0\0\0\0half")

    found = [value.id for value in TheirReader(file_path=str(folder / name)).get_data("scalar", "loss")]

    assert found == [0, 1, 2, 3], found
    print("a file written by both in turns is read whole")


def check_legacy(folder):
    """VisualDL 2.x shows what was recorded with the calls of 1.x: a run per mode."""
    logger = mi.LogWriter(str(folder), sync_cycle=10)
    with logger.mode("train"):
        loss, digits = logger.scalar("scalars/loss"), logger.image("images/digit", 2)
        weights = logger.histogram("histogram/w", 25)
    for step in range(3):
        loss.add_record(step, 1 / (step + 1))
        weights.add_record(step, RANDOM.normal(size=100))
        digits.start_sampling()
        for _ in range(4):
            digits.add_sample([8, 8, 3], RANDOM.random(192))
        digits.finish_sampling()
    logger.save()

    reader = TheirReader(str(folder))
    (run,) = reader.runs()
    assert run == str(folder / "train")
    assert [row[3] for row in reader.get_log_data("scalar", run, "scalars%loss")] == [
        float(np.float32(1 / (step + 1))) for step in range(3)
    ]
    for place in range(2):
        shapes = [pixels(value).shape for value in reader.get_log_data("image", run, f"images%digit%{place}")]
        assert shapes == [(8, 8, 3)] * 3
    assert [sum(value.histogram.hist) for value in reader.get_log_data("histogram", run, "histogram%w")] == [100.0] * 3
    print("the calls of VisualDL 1.x are shown by 2.x")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as top:
        for name in ("values", "continued", "legacy"):
            (Path(top) / name).mkdir()
        check_readers(check_messages(Path(top) / "values"))
        check_continuing(Path(top) / "continued")
        check_legacy(Path(top) / "legacy")
    print("visualdl", visualdl.__version__, "numpy", np.__version__)
