"""Field numbers of foreign protobuf messages, by name.

The .proto files are written from the documented layouts of the formats and list what we read or write; the names are
those of the originals. `python -m tests.schemas` makes the Python modules, and the constants of the native scanners,
from them. No protobuf library is needed to use them: `Summary.Value.tag` is the number of a field.
"""
