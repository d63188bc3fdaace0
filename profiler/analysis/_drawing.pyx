# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native twin of `drawing_twin`: what a lane of the timeline shows on so many pixels."""

from libc.math cimport ceil
from libc.stdint cimport int32_t, int64_t

import numpy

cdef enum:
    STRIDE = 16  # rows of one level under a row of the next
    MOST_LEVELS = 8  # 16 ** 8 is more than the rows there can be


def pyramid(const int64_t[::1] duration):
    """What `drawing_twin.pyramid` gives."""
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


def draw(
    const int64_t[::1] start, const int64_t[::1] duration, levels, int64_t first, int64_t last,
    int64_t origin, int64_t until, int64_t width
):
    """What `drawing_twin.draw` gives."""
    cdef const int32_t* pointers[MOST_LEVELS]
    cdef const int32_t[::1] view
    cdef int height = 0, level, fits
    cdef int64_t at, size, span = until - origin, edge, furthest, room, made = 0
    cdef int64_t pixel, row, jump
    cdef double per_pixel
    for column in levels:
        view = column
        pointers[height] = &view[0]
        height += 1
    if not 0 <= first <= last <= len(start) or len(duration) != len(start) or span <= 0 or width <= 0:
        raise ValueError("a window that cannot be")
    room = min(last - first, 3 * width + 8)
    begins_array, ends_array = numpy.empty((2, room), numpy.int64)
    rows_array, counts_array = numpy.empty((2, room), numpy.int32)
    cdef int64_t[::1] begins = begins_array
    cdef int64_t[::1] ends = ends_array
    cdef int32_t[::1] rows = rows_array
    cdef int32_t[::1] counts = counts_array
    per_pixel = <double>span / <double>width
    with nogil:
        at = first
        while at < last and start[at] < until:
            row = at
            if <double>duration[at] >= per_pixel:
                if made == room:
                    break
                begins[made] = start[at]
                ends[made] = start[at] + duration[at]
                rows[made] = <int32_t>at
                counts[made] = 1
                made += 1
                at += 1
                continue
            pixel = <int64_t>(<double>(start[at] - origin) / per_pixel) if start[at] > origin else 0
            edge = origin + <int64_t>ceil(<double>(pixel + 1) * per_pixel)
            if edge > until:
                edge = until
            if made == room:
                break
            begins[made] = start[at]
            furthest = start[at] + duration[at]
            counts[made] = 1
            at += 1
            while at < last and (start[at] < edge or start[at] == start[at - 1]) and <double>duration[at] < per_pixel:
                # As many rows at once as begin in this pixel, all of them narrower than a pixel.
                jump = 1
                size = 1
                fits = -1
                for level in range(height):
                    size *= STRIDE
                    if at % size or at + size > last or start[at + size - 1] >= edge \
                            or <double>duration[pointers[level][at // size]] >= per_pixel:
                        break
                    fits = level
                    jump = size
                if fits < 0:
                    if duration[at] > duration[row]:
                        row = at
                elif duration[pointers[fits][at // jump]] > duration[row]:
                    row = pointers[fits][at // jump]
                at += jump
                counts[made] += <int32_t>jump
                furthest = max(furthest, start[at - 1] + duration[at - 1])
            ends[made] = furthest
            rows[made] = <int32_t>row
            made += 1
    return begins_array[:made], ends_array[:made], rows_array[:made], counts_array[:made]
