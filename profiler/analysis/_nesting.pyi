from .nesting_twin import launched_within as launched_within
from .nesting_twin import launchers as launchers
from .nesting_twin import nearest as nearest
from .nesting_twin import nest as nest
from .nesting_twin import repeats as repeats
from .nesting_twin import time_order as time_order
