# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native version of `reference.events`: the same columns and the same damage from the same bytes, many times faster.

Read the reference first, it says what is done and why; names are the same here. Functions that read a token take pointers
to it and to the end of the data, and return a pointer behind it, or MORE or WRONG (`_tokens.h`). No Python object is
made for an event, `feed` runs without the interpreter's lock, and `take` hands the columns over without copying them.

What makes it quick is memory of what was read before (`members`, `seen`, `glimpsed`): keys, passed values and texts are
compared with the ones that stood there last time, and only looked at byte by byte where they differ.

The parts in `native/` are included here, so that the compiler sees one module and can inline across them.
"""

import os

import numpy as np

from .event_rows import ScannedEvents, ScannedRows, Kind
from .event_rows import MOST_ARGUMENTS as _MOST_ARGUMENTS
from .event_rows import MOST_DEPTH as _MOST_DEPTH
from .event_rows import MOST_EVENT_BYTES as _MOST_EVENT_BYTES
from .event_rows import MOST_ROOT_BYTES as _MOST_ROOT_BYTES
from .event_rows import MOST_ROOT_VALUES as _MOST_ROOT_VALUES

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.math cimport isfinite
from libc.stdint cimport INT32_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

include "native/constants.pxi"
include "native/tokens.pxi"
include "native/columns.pxi"
include "native/event.pxi"


cdef class EventScanner:
    """Finds every event of one file, fed piece by piece; `arguments` are keys of `args` with their kinds.

    Arrows (phases s, t, f) whose names are the tokens `without` are only counted.
    """

    cdef Rows tables[2]  # slices, others
    cdef Event event
    cdef mi_member members[MOST_MEMBERS]  # a tree of what followed what
    cdef int member_count
    cdef int kinds[SLOTS]
    cdef Span keys[SLOTS]
    cdef int count
    cdef Span without[MOST_WITHOUT]
    cdef int without_count
    cdef int64_t arrows_left_out
    cdef Column counter_row, counter_name, counter_value
    cdef int64_t counters
    cdef Column letters, known, table
    cdef int32_t seen[GLANCES]  # 1 + number of the text that was last seen with this glance
    cdef mi_glimpse glimpses[MI_GLIMPSES]
    cdef int64_t letter_count, text_count, table_size
    cdef uint64_t seed
    cdef Column track_pairs, track_table
    cdef int64_t track_count, track_table_size
    cdef double to_come  # how many times what was found may follow
    cdef int64_t damages, nameless, cut_bytes, offset, lost_from
    cdef bint is_cut, is_bare, is_open_end, at_end, is_without_memory
    cdef int state
    cdef uint8_t before
    cdef const uint8_t *data
    cdef const uint8_t *end
    cdef const uint8_t *item
    cdef object key_bytes, without_bytes, root, damage

    def __cinit__(self, arguments, without=()):
        cdef int number
        cdef const uint8_t *key
        if len(arguments) > _MOST_ARGUMENTS:
            raise ValueError(f"at most {_MOST_ARGUMENTS} arguments can be asked for")
        self.key_bytes = [bytes(each) for each, _ in arguments]
        self.count = len(arguments)
        for number in range(self.count):
            self.kinds[number] = Kind(arguments[number][1])
            key = <const uint8_t *>(<bytes>self.key_bytes[number])
            self.keys[number].begin = key
            self.keys[number].end = key + len(self.key_bytes[number])
        self.without_bytes = [bytes(each) for each in without]
        if len(self.without_bytes) > MOST_WITHOUT:
            raise ValueError(f"at most {MOST_WITHOUT} names of arrows can be left out")
        for each in self.without_bytes:
            self.without[self.without_count].begin = <const uint8_t *>(<bytes>each)
            self.without[self.without_count].end = self.without[self.without_count].begin + len(each)
            self.without_count += 1
        self.member_count = FIRST_MEMBER
        self.seed = int.from_bytes(os.urandom(8), "little")  # so that nobody can choose texts that collide
        self.root = {}
        self.damage = []

    def __dealloc__(self):
        cdef Rows *rows
        cdef int table, number
        for table in range(2):
            rows = &self.tables[table]
            for column in (
                <size_t>&rows.phase, <size_t>&rows.time, <size_t>&rows.duration, <size_t>&rows.track,
                <size_t>&rows.name, <size_t>&rows.category, <size_t>&rows.place,
                <size_t>&rows.identity.row, <size_t>&rows.identity.value,
            ):
                free((<Column *><size_t>column).data)
            for number in range(self.count):
                free(rows.arguments[number].row.data)
                free(rows.arguments[number].value.data)
        for column in (
            <size_t>&self.counter_row, <size_t>&self.counter_name, <size_t>&self.counter_value,
            <size_t>&self.letters, <size_t>&self.known, <size_t>&self.table,
            <size_t>&self.track_pairs, <size_t>&self.track_table,
        ):
            free((<Column *><size_t>column).data)

    def feed(self, data, *, bint at_end, double share=1.0):
        """Read all whole events from bytes that follow the ones done with; returns how many bytes are done with.

        `at_end` says that the file has no more, `share` how much of it has come (0 to 1).
        """
        cdef Py_buffer view
        cdef int64_t done
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            self.data = self.item = <const uint8_t *>view.buf
            self.end = self.data + view.len
            self.at_end = at_end
            self.to_come = min(MOST_FORESEEN, 1.05 / share - 1.0) if share > 0 else 0.0
            with nogil:
                run(self)
            done = self.item - self.data
            self.offset += done
            if self.is_without_memory:
                raise MemoryError("no memory is left for the events of this file")
            if at_end:
                finish_file(self)
        finally:
            PyBuffer_Release(&view)
            self.data = self.item = self.end = NULL
        return done

    def take(self):
        """Everything read; the scanner is empty afterwards."""
        cdef int64_t number
        cdef Known *known = <Known *>self.known.data
        cdef int64_t *pairs = <int64_t *>self.track_pairs.data
        texts = [
            PyBytes_FromStringAndSize(self.letters.data + known[number].at, known[number].size)
            for number in range(self.text_count)
        ]
        tracks = [(pairs[2 * number], pairs[2 * number + 1]) for number in range(self.track_count)]
        found = ScannedEvents(
            slices=take_rows(self, &self.tables[0]),
            others=take_rows(self, &self.tables[1]),
            counters=(
                array_of(&self.counter_row, self.counters, np.int32),
                array_of(&self.counter_name, self.counters, np.int32),
                array_of(&self.counter_value, self.counters, np.float64),
            ),
            tracks=tracks,
            texts=texts,
            root=list(self.root.items()),
            is_cut=self.is_cut,
            cut_bytes=self.cut_bytes,
            damages=self.damages,
            damage=self.damage,
            nameless=self.nameless,
            arrows_left_out=self.arrows_left_out,
        )
        self.counters = 0
        return found


include "native/structure.pxi"
include "native/members.pxi"
include "native/rows.pxi"
include "native/texts.pxi"
