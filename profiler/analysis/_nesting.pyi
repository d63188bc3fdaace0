from .nesting_twin import hand_up as hand_up
from .nesting_twin import launchers as launchers
from .nesting_twin import nearest as nearest
from .nesting_twin import nest as nest
from .nesting_twin import time_order as time_order
