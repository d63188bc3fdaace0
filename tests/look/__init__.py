"""Every page in every state, looked at by a machine: `make look`."""
