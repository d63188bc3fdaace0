from mindinsight_like.store.reference.curves import envelope as envelope
from mindinsight_like.store.reference.curves import smooth as smooth
