"""SQLite databases of MLflow, Trackio and Optuna."""
