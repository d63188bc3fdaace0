from .grouping_twin import add_up as add_up
from .grouping_twin import agreed as agreed
from .grouping_twin import call_tree as call_tree
from .grouping_twin import group as group
from .grouping_twin import look_up as look_up
from .grouping_twin import outermost as outermost
from .grouping_twin import postings as postings
from .grouping_twin import sum_groups as sum_groups
