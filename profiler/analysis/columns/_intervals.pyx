# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native version of `reference.intervals`: unions of intervals."""

from libc.stdint cimport int64_t

import numpy


def unite(
    const int64_t[::1] begin, const int64_t[::1] end, const int64_t[::1] other_begin, const int64_t[::1] other_end
):
    """What `reference.intervals.unite` gives."""
    cdef int64_t one = 0, two = 0, made = 0, low, high, reach = 0
    cdef int64_t ones = len(begin), twos = len(other_begin)
    if len(end) != ones or len(other_end) != twos:
        raise ValueError("columns of different lengths")
    begins_array, ends_array = numpy.empty((2, ones + twos), numpy.int64)
    cdef int64_t[::1] begins = begins_array
    cdef int64_t[::1] ends = ends_array
    with nogil:
        while one < ones or two < twos:
            if two >= twos or (one < ones and begin[one] <= other_begin[two]):
                low = begin[one]
                high = end[one]
                one += 1
            else:
                low = other_begin[two]
                high = other_end[two]
                two += 1
            if high <= low:
                continue
            if made and low <= reach:
                if high > reach:
                    reach = high
                    ends[made - 1] = high
            else:
                begins[made] = low
                ends[made] = reach = high
                made += 1
    return begins_array[:made].copy(), ends_array[:made].copy()
