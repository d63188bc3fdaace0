from .events_twin import EventScanner as EventScanner
