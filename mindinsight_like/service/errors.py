"""What an operator has to put right."""


class OperationError(Exception):
    """The command cannot do what was asked; the message is what the user should read, its first line the reason."""
