from mindinsight_like.store.reference.pages import register as register
