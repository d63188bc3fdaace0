from mindinsight_like.profiler.analysis.reference.nesting import launched_within as launched_within
from mindinsight_like.profiler.analysis.reference.nesting import launchers as launchers
from mindinsight_like.profiler.analysis.reference.nesting import nearest as nearest
from mindinsight_like.profiler.analysis.reference.nesting import nest as nest
from mindinsight_like.profiler.analysis.reference.nesting import repeats as repeats
from mindinsight_like.profiler.analysis.reference.nesting import time_order as time_order
