from .curves_twin import envelope as envelope
from .curves_twin import smooth as smooth
