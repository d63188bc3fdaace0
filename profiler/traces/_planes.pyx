# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native version of `reference.planes`: the same columns from the same bytes, many times faster.

A first walk counts, so that columns are as long as what there is, and finds the end of what can be read; a second one
fills them. Both run without the interpreter's lock.
"""

import numpy as np

from mindinsight_like.profiler.traces.reference.planes import SIZE_BITS as _SIZE_BITS
from mindinsight_like.profiler.traces.reference.planes import Line

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

cdef int SIZE_BITS = _SIZE_BITS
include "native/xplane_fields.pxi"

cdef enum:
    VARINT = 0
    FIXED64 = 1
    BYTES = 2
    FIXED32 = 5


cdef struct Field:
    uint64_t id
    int wire
    uint64_t number
    Py_ssize_t begin
    Py_ssize_t end


cdef inline bint read_varint(const uint8_t *data, Py_ssize_t *place, Py_ssize_t end, uint64_t *number) noexcept nogil:
    cdef int shift = 0
    cdef uint8_t byte
    number[0] = 0
    while shift < 70:
        if place[0] >= end:
            return False
        byte = data[place[0]]
        place[0] += 1
        if shift < 64:
            number[0] |= (<uint64_t>(byte & 0x7F)) << shift
        if byte < 0x80:
            return True
        shift += 7
    return False


cdef inline bint next_field(const uint8_t *data, Py_ssize_t place, Py_ssize_t end, Field *field) noexcept nogil:
    """Whether a whole field begins there; `field.end` is where the next one does."""
    cdef uint64_t key, size
    if not read_varint(data, &place, end, &key) or key < 8 or key >= (<uint64_t>1 << 32):
        return False
    field.id = key >> 3
    field.wire = key & 7
    field.number = 0
    field.begin = place
    if field.wire == VARINT:
        if not read_varint(data, &place, end, &field.number):
            return False
    elif field.wire == FIXED64:
        place += 8
    elif field.wire == FIXED32:
        place += 4
    elif field.wire == BYTES:
        if not read_varint(data, &place, end, &size) or size > <uint64_t>(end - place):
            return False
        field.begin = place
        place += <Py_ssize_t>size
    else:
        return False
    field.end = place
    return place <= end


cdef struct Counts:
    Py_ssize_t events
    Py_ssize_t stats
    Py_ssize_t end


cdef Counts count(const uint8_t *data, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Events and stats up to the first that is damaged, and where that is."""
    cdef Counts found
    cdef Field field, inner, innermost
    cdef Py_ssize_t place, deeper, stats
    found.events = found.stats = 0
    found.end = begin
    while found.end < end:
        if not next_field(data, found.end, end, &field):
            return found
        if field.id == XLINE_EVENTS and field.wire == BYTES:
            stats = 0
            place = field.begin
            while place < field.end:
                if not next_field(data, place, field.end, &inner):
                    return found
                if inner.id == XEVENT_STATS and inner.wire == BYTES:
                    deeper = inner.begin
                    while deeper < inner.end:
                        if not next_field(data, deeper, inner.end, &innermost):
                            return found
                        deeper = innermost.end
                    stats += 1
                place = inner.end
            found.events += 1
            found.stats += stats
        found.end = field.end
    return found


def scan_line(const uint8_t[::1] content, Py_ssize_t begin, Py_ssize_t end, const int64_t[::1] stat_ids):
    """See the reference."""
    cdef const uint8_t *data = &content[0] if content.shape[0] else NULL
    cdef Py_ssize_t slots = stat_ids.shape[0], slot
    cdef Counts counts
    cdef Field field, inner, innermost
    cdef Py_ssize_t place, deeper, deepest, row = 0, stat = 0
    cdef int64_t identity, value, number = 0, timestamp = 0
    cdef int kind
    if begin < 0 or end > content.shape[0] or begin > end:
        raise ValueError("the line does not lie in the data")
    with nogil:
        counts = count(data, begin, end)
    metadata = np.zeros(counts.events, np.int64)
    offset = np.zeros(counts.events, np.int64)
    duration = np.zeros(counts.events, np.int64)
    occurrences = np.zeros(counts.events, np.int64)
    stat_row = np.empty(counts.stats, np.int64)
    stat_slot = np.empty(counts.stats, np.uint8)
    stat_kind = np.empty(counts.stats, np.uint8)
    stat_value = np.empty(counts.stats, np.int64)
    cdef int64_t[::1] metadatas = metadata, offsets = offset, durations = duration, many = occurrences
    cdef int64_t[::1] rows = stat_row, values = stat_value
    cdef uint8_t[::1] slot_column = stat_slot, kinds = stat_kind
    cdef Py_ssize_t name_begin = 0, name_end = 0, display_begin = 0, display_end = 0
    with nogil:
        place = begin
        while place < counts.end:
            next_field(data, place, counts.end, &field)
            place = field.end
            if field.id == XLINE_EVENTS and field.wire == BYTES:
                deeper = field.begin
                while deeper < field.end:
                    next_field(data, deeper, field.end, &inner)
                    deeper = inner.end
                    if inner.wire == VARINT:
                        if inner.id == XEVENT_METADATA_ID:
                            metadatas[row] = <int64_t>inner.number
                        elif inner.id == XEVENT_OFFSET_PS:
                            offsets[row] = <int64_t>inner.number
                        elif inner.id == XEVENT_DURATION_PS:
                            durations[row] = <int64_t>inner.number
                        elif inner.id == XEVENT_NUM_OCCURRENCES:
                            many[row] = <int64_t>inner.number
                    elif inner.wire == BYTES and inner.id == XEVENT_STATS:
                        identity = value = 0
                        kind = 0
                        deepest = inner.begin
                        while deepest < inner.end:
                            next_field(data, deepest, inner.end, &innermost)
                            deepest = innermost.end
                            if innermost.wire == VARINT:
                                if innermost.id == XSTAT_METADATA_ID:
                                    identity = <int64_t>innermost.number
                                elif (
                                    innermost.id == XSTAT_UINT64_VALUE
                                    or innermost.id == XSTAT_INT64_VALUE
                                    or innermost.id == XSTAT_REF_VALUE
                                ):
                                    kind = <int>innermost.id
                                    value = <int64_t>innermost.number
                            elif innermost.wire == FIXED64 and innermost.id == XSTAT_DOUBLE_VALUE:
                                kind = XSTAT_DOUBLE_VALUE
                                memcpy(&value, data + innermost.begin, 8)
                            elif innermost.wire == BYTES and (
                                innermost.id == XSTAT_STR_VALUE or innermost.id == XSTAT_BYTES_VALUE
                            ):
                                kind = <int>innermost.id
                                value = innermost.end - innermost.begin
                                if value >= (<int64_t>1 << SIZE_BITS):
                                    value = (<int64_t>1 << SIZE_BITS) - 1
                                value |= <int64_t>innermost.begin << SIZE_BITS
                        if kind:
                            for slot in range(slots):
                                if stat_ids[slot] == identity:
                                    rows[stat] = row
                                    slot_column[stat] = <uint8_t>slot
                                    kinds[stat] = <uint8_t>kind
                                    values[stat] = value
                                    stat += 1
                                    break
                row += 1
            elif field.wire == VARINT and field.id == XLINE_ID:
                number = <int64_t>field.number
            elif field.wire == VARINT and field.id == XLINE_TIMESTAMP_NS:
                timestamp = <int64_t>field.number
            elif field.wire == BYTES and field.id == XLINE_NAME:
                name_begin, name_end = field.begin, field.end
            elif field.wire == BYTES and field.id == XLINE_DISPLAY_NAME:
                display_begin, display_end = field.begin, field.end
    return Line(
        number,
        timestamp,
        (name_begin, name_end),
        (display_begin, display_end),
        metadata,
        offset,
        duration,
        occurrences,
        stat_row[:stat].copy(),
        stat_slot[:stat].copy(),
        stat_kind[:stat].copy(),
        stat_value[:stat].copy(),
        counts.end,
    )
