# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native version of `reference.grouping`: equal slices get equal numbers, and sums over them."""

from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

import numpy

ctypedef fused summand:
    const int32_t
    const int64_t


cdef inline uint64_t mixed(uint64_t value) noexcept nogil:
    value ^= value >> 33
    value *= <uint64_t>0xFF51AFD7ED558CCD
    value ^= value >> 33
    value *= <uint64_t>0xC4CEB9FE1A85EC53
    return value ^ (value >> 33)


cdef class Numbering:
    """Numbers for keys of four integers, in the order in which they first come."""

    cdef int32_t* keys  # four for each number
    cdef int32_t* table  # a number or -1, found by hashing
    cdef int64_t slots
    cdef int64_t room
    cdef int32_t count

    def __cinit__(self):
        self.slots = 1 << 12
        self.room = self.slots // 2
        self.keys = <int32_t*>malloc(self.room * 4 * sizeof(int32_t))
        self.table = <int32_t*>malloc(self.slots * sizeof(int32_t))
        if self.keys == NULL or self.table == NULL:
            raise MemoryError()
        memset(self.table, 0xFF, self.slots * sizeof(int32_t))

    def __dealloc__(self):
        free(self.keys)
        free(self.table)

    cdef int64_t slot_of(self, const int32_t* key) noexcept nogil:
        cdef const uint64_t* words = <const uint64_t*>key
        cdef const uint64_t* known = <const uint64_t*>self.keys
        cdef int64_t slot = <int64_t>(mixed(words[0] * <uint64_t>0x9E3779B97F4A7C15 + words[1]) & <uint64_t>(self.slots - 1))
        cdef int64_t at = self.table[slot]
        while at >= 0 and (known[2 * at] != words[0] or known[2 * at + 1] != words[1]):
            slot = (slot + 1) & (self.slots - 1)
            at = self.table[slot]
        return slot

    cdef bint grow(self) noexcept nogil:
        cdef int32_t number
        cdef int32_t* keys = <int32_t*>realloc(self.keys, self.room * 16 * sizeof(int32_t))
        if keys == NULL:
            return False
        self.keys = keys
        self.room *= 4
        self.slots *= 4
        free(self.table)
        self.table = <int32_t*>malloc(self.slots * sizeof(int32_t))
        if self.table == NULL:
            return False
        memset(self.table, 0xFF, self.slots * sizeof(int32_t))
        for number in range(self.count):
            self.table[self.slot_of(&self.keys[number * 4])] = number
        return True

    cdef int32_t number_of(self, int32_t one, int32_t two, int32_t three, int32_t four) except -1 nogil:
        cdef uint64_t[2] words  # of a key, aligned as such
        cdef int32_t* key = <int32_t*>words
        cdef int64_t slot
        key[0] = one
        key[1] = two
        key[2] = three
        key[3] = four
        slot = self.slot_of(key)
        if self.table[slot] >= 0:
            return self.table[slot]
        if self.count == self.room:
            if not self.grow():
                with gil:
                    raise MemoryError()
            slot = self.slot_of(key)
        memcpy(&self.keys[self.count * 4], key, 16)
        self.table[slot] = self.count
        self.count += 1
        return self.count - 1

    cdef key_column(self, int which):
        cdef int32_t number
        result = numpy.empty(self.count, numpy.int32)
        cdef int32_t[::1] column = result
        for number in range(self.count):
            column[number] = self.keys[number * 4 + which]
        return result


def look_up(const int32_t[::1] row, const uint8_t[::1] column, const uint8_t[:, ::1] table):
    """What `reference.grouping.look_up` gives."""
    cdef int64_t count = len(row), at
    result = numpy.empty(count, numpy.uint8)
    cdef uint8_t[::1] found = result
    if len(column) != count or table.shape[1] != 256:
        raise ValueError("columns of different lengths")
    with nogil:
        for at in range(count):
            if row[at] < 0 or row[at] >= table.shape[0]:
                with gil:
                    raise ValueError("a row that does not exist")
            found[at] = table[row[at], column[at]]
    return result


def group(const uint8_t[::1] side, const int32_t[::1] name, const int32_t[::1] type, const int32_t[::1] shape):
    """What `reference.grouping.group` gives."""
    cdef int64_t count = len(side), at
    cdef Numbering numbering = Numbering()
    result = numpy.empty(count, numpy.int32)
    cdef int32_t[::1] numbers = result
    if len(name) != count or len(type) != count or len(shape) != count:
        raise ValueError("columns of different lengths")
    with nogil:
        for at in range(count):
            numbers[at] = numbering.number_of(name[at], shape[at], type[at], side[at])
    side_column = numbering.key_column(3).astype(numpy.uint8)
    return result, (side_column, numbering.key_column(0), numbering.key_column(2), numbering.key_column(1))


def agreed(const int32_t[::1] group, int groups, const int32_t[::1] values):
    """What `reference.grouping.agreed` gives."""
    cdef int64_t at
    cdef int32_t number
    result, seen_array = numpy.full(groups, -1, numpy.int32), numpy.zeros(groups, numpy.uint8)
    cdef int32_t[::1] found = result
    cdef uint8_t[::1] is_seen = seen_array
    if len(values) != len(group):
        raise ValueError("columns of different lengths")
    with nogil:
        for at in range(<int64_t>len(group)):
            number = group[at]
            if number < 0 or number >= groups:
                with gil:
                    raise ValueError("a group that does not exist")
            if not is_seen[number]:
                is_seen[number] = True
                found[number] = values[at]
            elif found[number] != values[at]:
                found[number] = -1
    return result


def sum_groups(const int32_t[::1] group, int groups, const int64_t[::1] duration, summand[::1] self_time):
    """What `reference.grouping.sum_groups` gives."""
    cdef int64_t count = len(group), at
    cdef int32_t number
    counts_array = numpy.zeros(groups, numpy.int64)
    total_array = numpy.zeros(groups, numpy.int64)
    self_array = numpy.zeros(groups, numpy.int64)
    shortest_array = numpy.full(groups, INT64_MAX, numpy.int64)
    longest_array = numpy.full(groups, INT64_MIN, numpy.int64)
    cdef int64_t[::1] counts = counts_array
    cdef int64_t[::1] total = total_array
    cdef int64_t[::1] own = self_array
    cdef int64_t[::1] shortest = shortest_array
    cdef int64_t[::1] longest = longest_array
    if len(duration) != count or len(self_time) != count:
        raise ValueError("columns of different lengths")
    with nogil:
        for at in range(count):
            number = group[at]
            if number < 0 or number >= groups:
                with gil:
                    raise ValueError("a group that does not exist")
            counts[number] += 1
            total[number] += duration[at]
            own[number] += self_time[at]
            if duration[at] < shortest[number]:
                shortest[number] = duration[at]
            if duration[at] > longest[number]:
                longest[number] = duration[at]
    return counts_array, total_array, self_array, shortest_array, longest_array


def add_up(const int32_t[::1] group, int groups, summand[::1] values):
    """What `reference.grouping.add_up` gives."""
    cdef int64_t at
    cdef int32_t number
    result = numpy.zeros(groups, numpy.int64)
    cdef int64_t[::1] sums = result
    if len(values) != len(group):
        raise ValueError("columns of different lengths")
    with nogil:
        for at in range(<int64_t>len(group)):
            number = group[at]
            if number < 0 or number >= groups:
                with gil:
                    raise ValueError("a group that does not exist")
            sums[number] += values[at]
    return result


def postings(const int32_t[::1] group, int groups):
    """What `reference.grouping.postings` gives."""
    cdef int64_t count = len(group), at
    cdef int32_t number
    rows_array = numpy.empty(count, numpy.int32)
    bounds_array = numpy.zeros(groups + 2, numpy.int64)
    cdef int32_t[::1] rows = rows_array
    cdef int64_t[::1] bounds = bounds_array
    with nogil:
        for at in range(count):
            number = group[at]
            if number < 0 or number >= groups:
                with gil:
                    raise ValueError("a group that does not exist")
            bounds[number + 2] += 1
        for at in range(2, groups + 2):
            bounds[at] += bounds[at - 1]
        for at in range(count):
            number = group[at] + 1
            rows[bounds[number]] = <int32_t>at
            bounds[number] += 1
    return rows_array, bounds_array[:groups + 1].copy()


def outermost(const uint8_t[::1] kind, const int32_t[::1] parent, int kinds):
    """What `reference.grouping.outermost` gives."""
    cdef int64_t count = len(kind), at
    cdef int32_t above
    bounds_array = numpy.zeros(kinds + 2, numpy.int64)
    cdef int64_t[::1] bounds = bounds_array
    if len(parent) != count:
        raise ValueError("columns of different lengths")
    with nogil:
        for at in range(count):
            above = parent[at]
            if above >= count:
                with gil:
                    raise ValueError("a parent that does not exist")
            if kind[at] < kinds and (above < 0 or kind[above] != kind[at]):
                bounds[kind[at] + 2] += 1
        for at in range(2, kinds + 2):
            bounds[at] += bounds[at - 1]
    rows_array = numpy.empty(bounds_array[kinds + 1], numpy.int32)
    cdef int32_t[::1] rows = rows_array
    with nogil:
        for at in range(count):
            above = parent[at]
            if kind[at] < kinds and (above < 0 or kind[above] != kind[at]):
                rows[bounds[kind[at] + 1]] = <int32_t>at
                bounds[kind[at] + 1] += 1
    return rows_array, bounds_array[:kinds + 1].copy()


def call_tree(
    const int32_t[::1] parent, const int32_t[::1] name, const uint8_t[::1] activity, const uint8_t[::1] is_in
):
    """What `reference.grouping.call_tree` gives."""
    cdef int64_t count = len(parent), at
    cdef int32_t above
    cdef Numbering numbering = Numbering()
    result = numpy.empty(count, numpy.int32)
    cdef int32_t[::1] node = result
    if len(name) != count or len(activity) != count or len(is_in) != count:
        raise ValueError("columns of different lengths")
    with nogil:
        for at in range(count):
            if parent[at] >= at:
                with gil:
                    raise ValueError("a parent stands behind its child")
            above = node[parent[at]] if parent[at] >= 0 else -1
            node[at] = numbering.number_of(above, name[at], activity[at], 0) if is_in[at] else above
    return result, numbering.key_column(0), numbering.key_column(1), numbering.key_column(2).astype(numpy.uint8)
