from mindinsight_like.profiler.analysis.reference.drawing import draw as draw
from mindinsight_like.profiler.analysis.reference.drawing import pyramid as pyramid
