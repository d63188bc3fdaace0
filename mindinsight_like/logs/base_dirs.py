"""Base directories of a service: the first one, and further ones that have names.

Names of runs and files are paths below the first one, or begin with a slash and the name of another one, as in
`/vision/lenet/a`; a path below a directory never begins so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from mindinsight_like.logs.paths import lies_inside, to_path


@dataclass(frozen=True)
class BaseDirs:
    """Real paths without a slash at the end, as far as they can be."""

    first: str
    others: tuple[tuple[str, str], ...] = ()  # name and path

    def roots(self) -> Iterator[tuple[str, str]]:
        """The path of each base directory, with the name of the run that it is itself."""
        yield self.first, "."
        for name, path in self.others:
            yield path, f"/{name}"

    def top_of(self, name: str) -> str:
        """The base directory in which a run or a file lies; raises FileNotFoundError for one that is not served."""
        if not name.startswith("/"):
            return self.first
        project = project_of(name)
        for other, path in self.others:
            if other == project:
                return path
        raise FileNotFoundError(f"no base directory is called {project}")

    def path_of(self, name: str) -> str:
        """The path of a file by its name in the index."""
        below = name[2 + len(project_of(name)) :] if name.startswith("/") else name
        return f"{self.top_of(name)}/{to_path(below)}"

    def holds(self, name: str, handle: int) -> bool:
        """Whether what was opened under a name lies inside its base directory, wherever links have led."""
        return lies_inside(self.top_of(name), handle)

    def to_text(self) -> str:
        """One text, for the arguments of processes; a single directory is its path."""
        return json.dumps([self.first, *map(list, self.others)]) if self.others else self.first

    @classmethod
    def from_text(cls, text: str) -> BaseDirs:
        """The reverse of `to_text`."""
        if not text.startswith('["/'):
            return cls(text)
        first, *others = json.loads(text)
        return cls(first, tuple((name, path) for name, path in others))


def project_of(name: str) -> str:
    """The name of the base directory in which a run or a file lies; empty for the first one."""
    return name[1:].partition("/")[0] if name.startswith("/") else ""
