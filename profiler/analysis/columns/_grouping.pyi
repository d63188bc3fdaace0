from mindinsight_like.profiler.analysis.reference.grouping import add_up as add_up
from mindinsight_like.profiler.analysis.reference.grouping import agreed as agreed
from mindinsight_like.profiler.analysis.reference.grouping import call_tree as call_tree
from mindinsight_like.profiler.analysis.reference.grouping import group as group
from mindinsight_like.profiler.analysis.reference.grouping import look_up as look_up
from mindinsight_like.profiler.analysis.reference.grouping import outermost as outermost
from mindinsight_like.profiler.analysis.reference.grouping import postings as postings
from mindinsight_like.profiler.analysis.reference.grouping import sum_groups as sum_groups
