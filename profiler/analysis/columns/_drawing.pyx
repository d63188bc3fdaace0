# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native version of `reference.drawing`: what a lane of the timeline shows on so many pixels."""

from libc.math cimport ceil
from libc.stdint cimport int32_t, int64_t

import numpy

cdef enum:
    STRIDE_BITS = 2  # rows of levels are found by shifting: divisions took a third of the time
    STRIDE = 1 << STRIDE_BITS  # rows of one level under a row of the next
    MOST_LEVELS = 16  # 4 ** 16 is more than the rows there can be


def pyramid(const int64_t[::1] duration):
    """What `reference.drawing.pyramid` gives."""
    cdef int64_t count = len(duration), at, into, end
    cdef int32_t best, row
    cdef const int32_t* below = NULL
    cdef int32_t[::1] level
    levels = []
    while count > STRIDE:
        made = numpy.empty((count + STRIDE - 1) // STRIDE, numpy.int32)
        level = made
        with nogil:
            for into in range(<int64_t>level.shape[0]):
                end = min((into + 1) * STRIDE, count)
                best = row = <int32_t>(into * STRIDE) if below == NULL else below[into * STRIDE]
                for at in range(into * STRIDE + 1, end):
                    row = <int32_t>at if below == NULL else below[at]
                    if duration[row] > duration[best]:
                        best = row
                level[into] = best
        levels.append(made)
        below = &level[0]
        count = len(made)
    return tuple(levels)


cdef int64_t lower_bound(const int64_t* values, int64_t first, int64_t last, int64_t wanted) noexcept nogil:
    cdef int64_t middle
    while first < last:
        middle = (first + last) // 2
        if values[middle] < wanted:
            first = middle + 1
        else:
            last = middle
    return first


cdef struct Levels:
    const int32_t* rows[MOST_LEVELS]
    int height


cdef int64_t draw_lane(
    const int64_t* start, const int64_t* duration, const Levels* levels, int64_t at, int64_t last,
    int64_t origin, int64_t until, double per_pixel,
    int64_t* begins, int64_t* ends, int32_t* rows, int32_t* counts, int64_t room,
) noexcept nogil:
    # Rectangles of the rows from at to last, at most so many; returns how many there are.
    cdef int64_t made = 0, pixel, edge, furthest, row, longest, jump, size
    cdef int level, shift
    while at < last and made < room:
        row = at
        counts[made] = 1
        begins[made] = start[at]
        furthest = start[at] + duration[at]
        at += 1
        if <double>duration[row] < per_pixel:
            pixel = <int64_t>(<double>(start[row] - origin) / per_pixel) if start[row] > origin else 0
            edge = min(origin + <int64_t>ceil(<double>(pixel + 1) * per_pixel), until)
            while at < last and (start[at] < edge or start[at] == start[at - 1]) and <double>duration[at] < per_pixel:
                # As many rows at once as begin in this pixel, all of them narrower than a pixel.
                jump = size = 1
                longest = at
                shift = 0
                for level in range(levels.height):
                    size <<= STRIDE_BITS
                    shift += STRIDE_BITS
                    if at & (size - 1) or at + size > last or start[at + size - 1] >= edge \
                            or <double>duration[levels.rows[level][at >> shift]] >= per_pixel:
                        break
                    longest = levels.rows[level][at >> shift]
                    jump = size
                if duration[longest] > duration[row]:
                    row = longest
                at += jump
                counts[made] += <int32_t>jump
                furthest = max(furthest, start[at - 1] + duration[at - 1])
        ends[made] = furthest
        rows[made] = <int32_t>row
        made += 1
    return made


def draw(
    const int64_t[::1] start, const int64_t[::1] duration, levels, const int64_t[::1] bounds, const int64_t[::1] lanes,
    int64_t origin, int64_t until, int64_t width
):
    """What `reference.drawing.draw` gives."""
    cdef Levels pyramid
    cdef const int32_t[::1] view
    cdef int64_t at, lane, low, high, first, last, room, made = 0, most = 3 * width + 8
    cdef double per_pixel = <double>(until - origin) / <double>width if width > 0 else 0
    if until <= origin or width <= 0 or len(duration) != len(start) or len(levels) > MOST_LEVELS:
        raise ValueError("an impossible window")
    if len(bounds) and (min(bounds) < 0 or max(bounds) > len(start)):
        raise ValueError("lanes end within the rows")
    pyramid.height = 0
    for column in levels:
        view = column
        pyramid.rows[pyramid.height] = &view[0]
        pyramid.height += 1
    drawn_array = numpy.zeros(len(lanes), numpy.int64)
    begins_array, ends_array = numpy.empty((2, 4096), numpy.int64)
    rows_array, counts_array = numpy.empty((2, 4096), numpy.int32)
    cdef int64_t[::1] drawn = drawn_array
    cdef int64_t[::1] begins = begins_array
    cdef int64_t[::1] ends = ends_array
    cdef int32_t[::1] rows = rows_array
    cdef int32_t[::1] counts = counts_array
    with nogil:
        for at in range(<int64_t>lanes.shape[0]):
            lane = lanes[at]
            if lane < 0 or lane + 1 >= bounds.shape[0] or bounds[lane] > bounds[lane + 1]:
                with gil:
                    raise ValueError("a lane that does not exist")
            low = bounds[lane]
            high = bounds[lane + 1]
            if low == high:
                continue
            first = lower_bound(&start[0], low, high, origin)
            last = lower_bound(&start[0], first, high, until)
            if first > low and start[first - 1] + duration[first - 1] > origin:
                first -= 1
            room = min(last - first, most)
            if made + room > begins.shape[0]:
                with gil:
                    begins_array, ends_array, rows_array, counts_array = (
                        numpy.concatenate([column, numpy.empty(made + 2 * room, column.dtype)])
                        for column in (begins_array, ends_array, rows_array, counts_array)
                    )
                    begins = begins_array
                    ends = ends_array
                    rows = rows_array
                    counts = counts_array
            if room:
                drawn[at] = draw_lane(
                    &start[0], &duration[0], &pyramid, first, last, origin, until, per_pixel,
                    &begins[made], &ends[made], &rows[made], &counts[made], room,
                )
                made += drawn[at]
    return drawn_array, begins_array[:made], ends_array[:made], rows_array[:made], counts_array[:made]
