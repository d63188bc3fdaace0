from .drawing_twin import draw as draw
from .drawing_twin import pyramid as pyramid
