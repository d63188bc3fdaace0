"""Callbacks and loggers for Keras, Lightning, Hugging Face and Paddle."""
