from typing import Final

from .slices_twin import Rows as Rows
from .slices_twin import Slice as Slice
from .slices_twin import Switch as Switch
from .slices_twin import Target as Target

CAPACITY: Final[int]
