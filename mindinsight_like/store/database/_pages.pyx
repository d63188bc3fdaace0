# cython: language_level=3
"""Native version of `reference.pages`: the same checksums in the same places, without the interpreter's lock.

With the lock, a query that reads many pages would wait for other threads once a page.
"""

from libc.stdint cimport uintptr_t

cdef extern from "_pages.h":
    bint mi_register(void* find, void* add, const char* name)

cdef list _names = []  # SQLite keeps no copies


def register(uintptr_t find, uintptr_t add, str name):
    """Add the VFS to the SQLite library that has these functions; whether it could be done."""
    cdef bytes kept = name.encode()
    _names.append(kept)
    return mi_register(<void*>find, <void*>add, kept)
