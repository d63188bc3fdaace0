"""The service side of the collector: a process that stores what trainings send in their run folders."""
