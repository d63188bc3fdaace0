"""Train a tiny BERT from scratch with the Hugging Face Trainer: one callback for the curves, one for the profile.

Needs torch, transformers and accelerate. Run it, then open the board:

    python examples/train_huggingface.py
    app start --summary-base-dir runs

Look at run `huggingface`:

- Scalars: `train/loss`, `train/learning_rate`, `train/grad_norm`, `eval/loss`, `eval/accuracy`
- Text: `args/text_summary`, `model_config/text_summary`: everything that the Trainer was configured with
- Profiler: `aten::scaled_dot_product_attention` among the operator types, and the three recorded `step`
"""

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

import mindinsight_like as mi

RUN = "runs/huggingface"
VOCABULARY, LENGTH, MARK = 40, 12, 7


def make_sentences(count):
    """Sentences of random words; the label says whether the word `MARK` occurs in the first half."""
    words = torch.randint(0, VOCABULARY, (count, LENGTH))
    marked = torch.rand(count) < 0.5
    words[words == MARK] += 1
    words[marked, torch.randint(0, LENGTH // 2, (count,))[marked]] = MARK
    return [{"input_ids": each, "labels": label} for each, label in zip(words, marked.long(), strict=True)]


def accuracy(prediction):
    return {"accuracy": float(np.mean(prediction.predictions.argmax(axis=-1) == prediction.label_ids))}


def main():
    set_seed(0)
    config = BertConfig(
        vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
    )
    arguments = TrainingArguments(
        "runs/huggingface/checkpoints",
        num_train_epochs=3,
        per_device_train_batch_size=16,
        learning_rate=5e-3,
        logging_steps=5,
        eval_strategy="epoch",
        save_strategy="no",
        report_to=[],
        use_cpu=True,
    )
    trainer = Trainer(
        BertForSequenceClassification(config),
        arguments,
        train_dataset=make_sentences(256),
        eval_dataset=make_sentences(64),
        compute_metrics=accuracy,
        callbacks=[
            mi.HuggingFaceCallback(RUN),
            mi.HuggingFaceProfilerCallback(RUN, schedule=mi.schedule(wait=9, warmup=1, active=3, repeat=1)),
        ],
    )
    trainer.train()


if __name__ == "__main__":
    main()
