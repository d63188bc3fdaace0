from .intervals_twin import unite as unite
