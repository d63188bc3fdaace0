# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native version of `reference.records`: the same points, lines and records from the same bytes, many times faster.

Read the reference first, it says what is done and why; names are the same here. No row of a log becomes a Python
object. The parts in `native/` are included here, so that the compiler sees one module and can inline across them.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport fabs, isfinite
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

import numpy

cdef extern from "Python.h":
    ctypedef struct PyObject
    double PyOS_string_to_double(const char* text, char** end, PyObject* overflow) except? -1.0

cdef extern from "_records.h":
    ctypedef struct mi_decimal:
        uint64_t digits
        bint is_negative
        bint is_integer

    uint32_t mi_load32(const uint8_t* p) noexcept nogil
    uint64_t mi_load64(const uint8_t* p) noexcept nogil
    float mi_single(uint32_t bits) noexcept nogil
    double mi_double(uint64_t bits) noexcept nogil
    bint mi_likely(bint x) noexcept nogil
    void mi_records_prepare()
    uint32_t mi_crc32(const uint8_t* p, size_t n) noexcept nogil
    bint mi_read_decimal(const uint8_t* p, const uint8_t* end, mi_decimal* number) noexcept nogil
    bint mi_nearest(const mi_decimal* number, double* value) noexcept nogil

mi_records_prepare()

cdef enum:  # record_logs
    WANDB, SWANLAB
    HEADER = 7
    BLOCK = 32768

cdef enum:  # types of chunks
    FULL = 1
    FIRST = 2
    LAST = 4

cdef enum:  # wire types
    VARINT = 0
    FIXED64 = 1
    BYTES = 2
    FIXED32 = 5

cdef enum:  # indexes of batch.DAMAGE_KINDS
    PAYLOAD_CHECKSUM = 1
    ABSURD_LENGTH = 2
    UNPARSABLE = 3

cdef enum:  # what reading a record comes to
    MALFORMED = 0
    FINE = 1
    NO_MEMORY = 2

cdef enum:
    SEPARATOR = 0x1F
    LONGEST_NUMBER = 400
    MOST_SUMMARY = 4096
    LONGEST_LINE = 65536
    SEARCHED = 262144

cdef int64_t MILLISECONDS_FROM = 100000000000
cdef double INFINITE = float("inf")
cdef double NOT_A_NUMBER = float("nan")
cdef double LARGEST_STEP = 2.0**62

cdef struct Field:
    uint32_t id
    uint32_t wire
    uint64_t number
    const uint8_t* begin
    const uint8_t* end

include "native/field_numbers.pxi"
include "native/memory.pxi"
include "../logs/native/wire.pxi"
include "native/numbers.pxi"
include "native/contents.pxi"
include "native/wandb.pxi"
include "native/swanlab.pxi"
include "native/chunks.pxi"

cdef object _Scanned = None
cdef object _Memory = None
cdef object _Region = None
cdef object _KeptRecord = None


def scan(data, int64_t offset, int layout, bint at_end, memory):
    """See `record_logs.scan`."""
    global _Scanned, _Memory, _Region, _KeptRecord
    cdef Scan found
    cdef Py_buffer view
    cdef size_t consumed
    if _Scanned is None:
        from mindinsight_like.trackers import record_logs

        _Scanned, _Memory = record_logs.Scanned, record_logs.Memory
        _Region, _KeptRecord = record_logs.Region, record_logs.KeptRecord
    if offset < 0:
        raise ValueError("a log has no negative offsets")
    memset(&found, 0, sizeof(Scan))
    found.offset, found.layout, found.at_end = offset, layout, at_end
    found.damaged, found.step, found.samples = memory.damaged, memory.step, memory.samples
    found.tags.last = found.summary.last = 0xFFFFFFFF
    try:
        resume(&found.streams[0], memory.stderr)
        resume(&found.streams[1], memory.stdout)
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            found.data, found.size = <const uint8_t*>view.buf, <size_t>view.len
            with nogil:
                consumed = read_chunks(&found)
        finally:
            PyBuffer_Release(&view)
        if found.short_of_memory:
            raise MemoryError
        return scanned(&found, consumed)
    finally:
        forget(&found)


cdef int resume(Bytes* stream, bytes line) except -1:
    if not append(stream, <const uint8_t*><const char*>line, len(line)):
        raise MemoryError
    return 0


cdef object scanned(Scan* found, size_t consumed):
    memory = _Memory(
        bool(found.damaged), found.step, found.samples, content_of(&found.streams[0]), content_of(&found.streams[1])
    )
    regions = [
        _Region(found.regions[place].offset, found.regions[place].cause, found.regions[place].skipped)
        for place in range(found.region_count)
    ]
    summary = {
        text_of(&found.summary, place): PyBytes_FromStringAndSize(
            <const char*>found.texts.at + found.values[place].at, found.values[place].size
        )
        for place in range(found.summary.count)
    }
    records = [
        _KeptRecord(
            found.records[place].id,
            PyBytes_FromStringAndSize(<const char*>found.kept.at + found.records[place].at, found.records[place].size),
            found.records[place].step,
            found.records[place].wall,
        )
        for place in range(found.record_count)
    ]
    return _Scanned(
        consumed,
        memory,
        regions,
        [text_of(&found.tags, place) for place in range(found.tags.count)],
        *columns(found),
        summary,
        content_of(&found.lines),
        times(found),
        records,
    )


cdef tuple columns(Scan* found):
    cdef size_t count = found.point_count
    cdef size_t place
    numbers, steps = numpy.empty(count, "i8"), numpy.empty(count, "i8")
    walls, values = numpy.empty(count, "f8"), numpy.empty(count, "f8")
    cdef int64_t* numbers_at = <int64_t*>memory_of(numbers)
    cdef int64_t* steps_at = <int64_t*>memory_of(steps)
    cdef double* walls_at = <double*>memory_of(walls)
    cdef double* values_at = <double*>memory_of(values)
    with nogil:
        for place in range(count):
            numbers_at[place] = found.points[place].number
            steps_at[place] = found.points[place].step
            walls_at[place] = found.points[place].wall
            values_at[place] = found.points[place].value
    return numbers, steps, walls, values


cdef object times(Scan* found):
    walls = numpy.empty(found.time_count, "f8")
    if found.time_count:
        memcpy(memory_of(walls), found.times, found.time_count * sizeof(double))
    return walls


cdef void* memory_of(object array) except? NULL:
    """Where the elements of an array stand; the caller keeps the array alive."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_WRITABLE)
    cdef void* memory = view.buf
    PyBuffer_Release(&view)
    return memory


cdef bytes content_of(Bytes* content):
    return PyBytes_FromStringAndSize(<const char*>content.at, content.size) if content.size else b""


cdef str text_of(Keys* keys, size_t number):
    cdef Key* key = &keys.keys[number]
    return PyBytes_FromStringAndSize(<const char*>keys.names.at + key.at, key.size).decode("utf-8", "replace")


cdef void forget(Scan* found) noexcept:
    release(&found.tags)
    release(&found.summary)
    free(found.points)
    free(found.values)
    free(found.texts.at)
    free(found.kept.at)
    free(found.records)
    free(found.lines.at)
    free(found.times)
    free(found.streams[0].at)
    free(found.streams[1].at)
    free(found.regions)
    free(found.record.at)
    free(found.joined.at)
    free(found.items)
    free(found.objects)
    free(found.tag.at)
