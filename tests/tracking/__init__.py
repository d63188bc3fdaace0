"""Tests of `mi.init` and of scripts written for wandb."""
