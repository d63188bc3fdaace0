# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native version of `reference.curves`: the same positions and the same smoothed values from the same columns."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t

import numpy

ctypedef fused real:
    float
    double


cdef void find_extremes(
    const real* values, const int64_t* bounds, Py_ssize_t buckets, int64_t* lows, int64_t* highs, int64_t* odds
) noexcept nogil:
    cdef Py_ssize_t bucket
    cdef int64_t at, low_at, high_at, odd_at
    cdef real value, low, high
    for bucket in range(buckets):
        low_at = high_at = odd_at = -1
        low = high = 0
        for at in range(bounds[bucket], bounds[bucket + 1]):
            value = values[at]
            if value - value != 0:  # NaN or infinite
                if odd_at < 0:
                    odd_at = at
            elif low_at < 0:
                low_at = high_at = at
                low = high = value
            elif value < low:
                low = value
                low_at = at
            elif value > high:
                high = value
                high_at = at
        lows[bucket] = low_at
        highs[bucket] = high_at
        odds[bucket] = odd_at


cdef bint ascend_within(const int64_t* bounds, Py_ssize_t buckets, int64_t size) noexcept nogil:
    cdef Py_ssize_t bucket
    for bucket in range(buckets):
        if bounds[bucket] > bounds[bucket + 1]:
            return False
    return bounds[0] >= 0 and bounds[buckets] <= size


cdef void average(const real* values, Py_ssize_t count, double weight, double* smoothed) noexcept nogil:
    cdef Py_ssize_t at
    cdef double rest = 1.0 - weight
    cdef double last = 0.0
    cdef double bias = 1.0
    cdef double constant = 0.0
    cdef bint is_constant = True  # so far, as is the average then
    cdef double value
    for at in range(count):
        value = values[at]
        if value - value != 0:
            smoothed[at] = value
            continue
        if bias == 1.0:
            constant = value
        is_constant = is_constant and value == constant
        last = last * weight + rest * value
        bias *= weight
        if is_constant:
            smoothed[at] = value
            continue
        # A bias below half the distance between 1 and its neighbour leaves the quotient unchanged.
        smoothed[at] = last / (1.0 - bias) if bias > 1e-17 else last


def envelope(values, bounds):
    """Positions of the smallest, the largest and the first non-finite value of each bucket; -1 where there is none."""
    cdef Py_buffer column, cuts, low, high, odd
    cdef Py_ssize_t buckets
    cdef bint is_single = values.dtype == numpy.float32
    cdef bint is_fine
    values = numpy.ascontiguousarray(values, numpy.float32 if is_single else numpy.float64)
    bounds = numpy.ascontiguousarray(bounds, numpy.int64)
    buckets = len(bounds) - 1
    if buckets < 0:
        raise ValueError("a bucket needs two bounds")
    lows, highs, odds = numpy.empty((3, buckets), numpy.int64)
    PyObject_GetBuffer(values, &column, PyBUF_SIMPLE)
    PyObject_GetBuffer(bounds, &cuts, PyBUF_SIMPLE)
    PyObject_GetBuffer(lows, &low, PyBUF_WRITABLE)
    PyObject_GetBuffer(highs, &high, PyBUF_WRITABLE)
    PyObject_GetBuffer(odds, &odd, PyBUF_WRITABLE)
    with nogil:
        is_fine = ascend_within(<const int64_t*>cuts.buf, buckets, column.len // column.itemsize)
        if not is_fine:
            pass
        elif is_single:
            find_extremes(
                <const float*>column.buf, <const int64_t*>cuts.buf, buckets,
                <int64_t*>low.buf, <int64_t*>high.buf, <int64_t*>odd.buf,
            )
        else:
            find_extremes(
                <const double*>column.buf, <const int64_t*>cuts.buf, buckets,
                <int64_t*>low.buf, <int64_t*>high.buf, <int64_t*>odd.buf,
            )
    PyBuffer_Release(&column)
    PyBuffer_Release(&cuts)
    PyBuffer_Release(&low)
    PyBuffer_Release(&high)
    PyBuffer_Release(&odd)
    if not is_fine:
        raise ValueError("bounds must ascend within the curve")
    return lows, highs, odds


def smooth(values, double weight):
    """The exponential moving average of a curve, without its bias towards zero at the start.

    Values that are not finite stay as they are and do not count.
    """
    cdef Py_buffer column, result
    cdef bint is_single = values.dtype == numpy.float32
    cdef Py_ssize_t count = len(values)
    if not 0.0 <= weight < 1.0:
        raise ValueError("the weight must be at least 0 and below 1")
    values = numpy.ascontiguousarray(values, numpy.float32 if is_single else numpy.float64)
    smoothed = numpy.empty(count, numpy.float64)
    PyObject_GetBuffer(values, &column, PyBUF_SIMPLE)
    PyObject_GetBuffer(smoothed, &result, PyBUF_WRITABLE)
    with nogil:
        if is_single:
            average(<const float*>column.buf, count, weight, <double*>result.buf)
        else:
            average(<const double*>column.buf, count, weight, <double*>result.buf)
    PyBuffer_Release(&column)
    PyBuffer_Release(&result)
    return smoothed
