"""The same Trainer runs with Hugging Face's TensorBoardCallback and with ours give the same records.

Run in an environment with transformers, accelerate, torch and tensorboard. Nothing is downloaded.
"""

import json
import tempfile
from pathlib import Path

import tensorboard
import torch
import transformers
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments
from transformers.integrations import TensorBoardCallback

import mindinsight_like as mi


class Data(Dataset):
    """Random sentences with random labels."""

    def __init__(self):
        generator = torch.Generator().manual_seed(1)
        self.words = torch.randint(0, 50, (24, 6), generator=generator)

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        return {"input_ids": self.words[index], "labels": self.words[index].sum() % 2}


def train(folder, callback):
    """A tiny model, trained and evaluated; the Trainer's own reports are off."""
    transformers.set_seed(1)
    config = BertConfig(
        vocab_size=50, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, num_labels=2
    )
    args = TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=2,
        per_device_train_batch_size=4,
        logging_steps=2,
        eval_strategy="epoch",
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Trainer(
        BertForSequenceClassification(config), args, train_dataset=Data(), eval_dataset=Data(), callbacks=[callback]
    )
    trainer.train()
    trainer.evaluate()
    return trainer


def read(folder):
    """What TensorBoard finds."""
    found = EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0})
    found.Reload()
    scalars = {tag: [(one.step, one.value) for one in found.Scalars(tag)] for tag in found.Tags()["scalars"]}
    texts = {tag: found.Tensors(tag)[0].tensor_proto.string_val[0].decode() for tag in found.Tags()["tensors"]}
    return scalars, texts


def check_same(folder):
    """Scalars by tag and step; numbers but those of time; the arguments and the configuration."""
    train(folder / "theirs", TensorBoardCallback())
    train(folder / "ours", mi.HuggingFaceCallback())
    (our_log,), (their_log,) = ((folder / name / "runs").iterdir() for name in ("ours", "theirs"))
    (ours, our_texts), (theirs, their_texts) = read(our_log), read(their_log)
    assert set(ours) == set(theirs) and set(our_texts) >= set(their_texts), (
        ours.keys(),
        theirs.keys(),
        our_texts.keys(),
    )
    for tag, points in theirs.items():
        assert [step for step, _ in points] == [step for step, _ in ours[tag]], tag
        if "second" not in tag and "runtime" not in tag:
            assert ours[tag] == points, tag
    config = json.loads(our_texts["model_config/text_summary"].removeprefix("```json\n").removesuffix("\n```"))
    assert config == json.loads(their_texts["model_config/text_summary"])
    print(f"{len(ours)} scalars, the arguments and the configuration are the same")


def check_class(folder):
    """Ours is a callback of transformers: as an object, as a class, with a writer of the user's."""
    writer = mi.SummaryWriter(str(folder / "log"))
    for callback in (mi.HuggingFaceCallback, mi.HuggingFaceCallback(writer)):
        trainer = train(folder / "out", callback)
        assert any(isinstance(one, mi.HuggingFaceCallback) for one in trainer.callback_handler.callbacks)
        assert all(isinstance(one, TrainerCallback) for one in trainer.callback_handler.callbacks)
    writer.add_scalar("still/open", 1.0, 1)
    writer.close()
    scalars, _ = read(folder / "log")
    assert {"train/loss", "eval/loss", "still/open"} <= set(scalars)
    print("the callback is the Trainer's")


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    with tempfile.TemporaryDirectory() as name:
        check_same(Path(name) / "a")
        check_class(Path(name) / "b")
    print("transformers", transformers.__version__, "torch", torch.__version__, "tensorboard", tensorboard.__version__)
