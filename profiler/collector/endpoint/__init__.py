"""The service's side of the collector: a process that writes what trainings send below their runs."""
