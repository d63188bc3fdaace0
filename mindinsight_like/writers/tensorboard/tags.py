"""Check tags, and derive folders from them."""


def checked_tag(tag: str) -> str:
    """The tag, if it is a text that a log can hold; raises TypeError or ValueError otherwise."""
    if not isinstance(tag, str):
        raise TypeError(f"a tag must be a str, not {type(tag).__name__}")
    if not tag:
        raise ValueError("a tag must not be empty")
    return encodable(tag)


def encodable(text: str) -> str:
    """The text, if UTF-8 can express it; raises ValueError otherwise."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"the text has a lone surrogate at position {error.start}, which UTF-8 cannot encode"
        ) from error
    return text


def path_parts(name: str) -> list[str]:
    """The folders that a name with slashes stands for; it cannot lead out of the folder it is joined to."""
    checked_tag(name)
    return [part.replace("\0", "_") for part in name.split("/") if part not in ("", ".", "..")] or ["_"]
