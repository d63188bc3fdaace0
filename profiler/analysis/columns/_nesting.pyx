# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native version of `reference.nesting`: order and nesting of slices, and what is handed up from children to parents."""

from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint16_t, uint64_t

import numpy

cdef enum:
    BLOCK = 64  # lanes whose earliest end is kept
    CALL = 1  # roles of rows in a launch, as in the reference
    LAUNCH = 2
    WORK = 3


cdef inline bint stands_before(
    const int64_t* start, const int64_t* duration, int32_t one, int32_t other
) noexcept nogil:
    # Ties stay in the order of the file: only strictly earlier, or longer at the same time, goes first.
    if start[one] != start[other]:
        return start[one] < start[other]
    return duration[one] > duration[other]


cdef int32_t* merge_runs(
    int32_t* rows, int32_t* spare, int64_t* cuts, int64_t count, const int64_t* start, const int64_t* duration
) noexcept nogil:
    # Sorts rows[0:count] by merging the runs that are there already; returns the buffer with the result.
    cdef int64_t runs = 0, at, pair, left, right, middle, end, into, merged
    cdef int32_t* exchange
    cuts[0] = 0
    for at in range(1, count):
        if stands_before(start, duration, rows[at], rows[at - 1]):
            runs += 1
            cuts[runs] = at
    runs += 1
    cuts[runs] = count
    while runs > 1:
        merged = 0
        pair = 0
        while pair < runs:
            left = cuts[pair]
            if pair + 1 < runs:
                middle = cuts[pair + 1]
                end = cuts[pair + 2]
            else:
                middle = end = cuts[pair + 1]
            right = middle
            into = left
            while left < middle and right < end:
                if stands_before(start, duration, rows[right], rows[left]):
                    spare[into] = rows[right]
                    right += 1
                else:
                    spare[into] = rows[left]
                    left += 1
                into += 1
            while left < middle:
                spare[into] = rows[left]
                left += 1
                into += 1
            while right < end:
                spare[into] = rows[right]
                right += 1
                into += 1
            merged += 1
            cuts[merged] = end
            pair += 2
        runs = merged
        exchange = rows
        rows = spare
        spare = exchange
    return rows


def time_order(const int32_t[::1] track, const int64_t[::1] start, const int64_t[::1] duration, int tracks):
    """Positions of the slices by track, start, falling duration, file order; and where each track begins."""
    cdef int64_t count = len(track), at, first, size
    cdef int32_t value
    bounds_array = numpy.zeros(tracks + 2, numpy.int64)
    order_array = numpy.empty(count, numpy.int32)
    spare_array = numpy.empty(count, numpy.int32)
    cdef int64_t[::1] bounds = bounds_array
    cdef int32_t[::1] order = order_array
    cdef int32_t[::1] spare = spare_array
    cdef int32_t* result
    if len(start) != count or len(duration) != count:
        raise ValueError("columns of different lengths")
    with nogil:
        for at in range(count):
            value = track[at]
            if value < 0 or value >= tracks:
                with gil:
                    raise ValueError("a slice lies on a track that does not exist")
            bounds[value + 2] += 1
        for at in range(2, tracks + 2):
            bounds[at] += bounds[at - 1]
        for at in range(count):
            value = track[at]
            order[bounds[value + 1]] = <int32_t>at
            bounds[value + 1] += 1
    if not count:
        return order_array, bounds_array[:tracks + 1]
    cuts_array = numpy.empty(int(numpy.diff(bounds_array).max()) + 2, numpy.int64)
    cdef int64_t[::1] cuts = cuts_array
    with nogil:
        for value in range(tracks):
            first = bounds[value]
            size = bounds[value + 1] - first
            if size < 2:
                continue
            result = merge_runs(&order[first], &spare[first], &cuts[0], size, &start[0], &duration[0])
            if result != &order[first]:
                for at in range(size):
                    order[first + at] = result[at]
    return order_array, bounds_array[:tracks + 1]


cdef int32_t free_lane(int64_t* ends, int64_t* earliest, int32_t lane, int32_t lanes, int64_t start) noexcept nogil:
    # The first lane from this one on whose last slice has ended, or -1; blocks of lanes are passed over at once.
    while lane < lanes:
        if lane % BLOCK == 0 and earliest[lane // BLOCK] > start:
            lane += BLOCK
        elif ends[lane] <= start:
            return lane
        else:
            lane += 1
    return -1


cdef inline int32_t left_open(const int64_t* open_ends, int32_t open_count, int64_t end) noexcept nogil:
    # How many of the open slices hold one that begins now and ends then. Whatever ends earlier is left behind: a later
    # slice within it would lie within this one too.
    while open_count and open_ends[open_count - 1] < end:
        open_count -= 1
    return open_count


def nest(
    const int32_t[::1] order, const int64_t[::1] bounds, const int64_t[::1] start, const int64_t[::1] duration,
    int most_lanes
):
    """What `reference.nesting.nest` gives."""
    cdef int64_t count = len(order), at, begin, end, low, into
    cdef int32_t track, tracks = <int32_t>(len(bounds) - 1), row, lane, lanes, open_count, holding, found, block
    cdef int64_t overlapping = 0, squeezed = 0
    deepest = int(numpy.diff(bounds).max(initial=0)) + 1
    # Of the slices that are open: their ends, then their lanes or rows, then how far their children cover them.
    open_ends_array = numpy.empty(deepest, numpy.int64)
    stack_array = numpy.empty(deepest, numpy.int32)
    covered_array = numpy.empty(deepest, numpy.int64)
    lane_array = numpy.empty(count, numpy.uint16)
    cdef int64_t[::1] open_ends = open_ends_array
    cdef int32_t[::1] stack = stack_array
    cdef int64_t[::1] covered = covered_array
    cdef uint16_t[::1] lane_of = lane_array
    if most_lanes > 2**16:
        raise ValueError("more lanes than can be numbered")
    ends_array = numpy.empty(most_lanes, numpy.int64)
    earliest_array = numpy.empty(most_lanes // BLOCK + 1, numpy.int64)
    filled_array = numpy.zeros(most_lanes + 1, numpy.int64)
    cdef int64_t[::1] ends = ends_array
    cdef int64_t[::1] earliest = earliest_array
    cdef int64_t[::1] filled = filled_array
    positions_array = numpy.empty(count, numpy.int32)
    starts_array = numpy.empty(count, numpy.int64)
    durations_array = numpy.empty(count, numpy.int64)
    parents_array = numpy.empty(count, numpy.int32)
    self_array = numpy.empty(count, numpy.int64)
    cdef int32_t[::1] positions = positions_array
    cdef int64_t[::1] starts = starts_array
    cdef int64_t[::1] durations = durations_array
    cdef int32_t[::1] parents = parents_array
    cdef int64_t[::1] self_time = self_array
    lane_tracks = []
    lane_numbers = []
    lane_bounds = [0]
    for track in range(tracks):
        lanes = 0
        open_count = 0
        with nogil:
            for at in range(bounds[track], bounds[track + 1]):
                begin = start[order[at]]
                end = begin + duration[order[at]]
                holding = left_open(&open_ends[0], open_count, end)
                # Ends fall: of those left behind the first one ends last.
                if holding < open_count and open_ends[holding] > begin:
                    overlapping += 1
                open_count = holding
                lane = stack[open_count - 1] + 1 if open_count else 0
                found = free_lane(&ends[0], &earliest[0], lane, lanes, begin)
                if found < 0:
                    found = lanes if lanes > lane else lane
                    if found >= most_lanes:
                        found = most_lanes - 1
                        squeezed += 1
                    while lanes <= found:
                        ends[lanes] = INT64_MIN
                        if lanes % BLOCK == 0:
                            earliest[lanes // BLOCK] = INT64_MIN
                        lanes += 1
                if end > ends[found]:
                    ends[found] = end
                lane_of[at] = <uint16_t>found
                filled[found + 1] += 1
                if end > begin:
                    stack[open_count] = found
                    open_ends[open_count] = end
                    open_count += 1
                if lanes > BLOCK:
                    block = found // BLOCK
                    low = INT64_MAX
                    for into in range(block * BLOCK, min(block * BLOCK + BLOCK, lanes)):
                        low = min(low, ends[into])
                    earliest[block] = low
            for lane in range(lanes):
                filled[lane + 1] += filled[lane]
            # Once more, now that the row of each is known: so nothing has to be put in order afterwards.
            open_count = 0
            for at in range(bounds[track], bounds[track + 1]):
                begin = start[order[at]]
                end = begin + duration[order[at]]
                open_count = left_open(&open_ends[0], open_count, end)
                lane = lane_of[at]
                into = bounds[track] + filled[lane]
                filled[lane] += 1
                positions[into] = order[at]
                starts[into] = begin
                durations[into] = self_time[into] = end - begin
                parents[into] = -1
                if open_count:
                    parents[into] = row = stack[open_count - 1]
                    if end > covered[open_count - 1]:
                        self_time[row] -= end - max(begin, covered[open_count - 1])
                        covered[open_count - 1] = end
                if end > begin:
                    stack[open_count] = <int32_t>into
                    open_ends[open_count] = end
                    covered[open_count] = begin
                    open_count += 1
        if lanes:
            lane_tracks.append(numpy.full(lanes, track, numpy.int32))
            lane_numbers.append(numpy.arange(lanes, dtype=numpy.int32))
            lane_bounds.append(bounds[track] + filled_array[:lanes])
            filled_array[:lanes + 1] = 0
    return (
        positions_array, starts_array, durations_array, parents_array, self_array,
        numpy.concatenate([numpy.empty(0, numpy.int32), *lane_tracks]),
        numpy.concatenate([numpy.empty(0, numpy.int32), *lane_numbers]),
        numpy.concatenate([numpy.zeros(1, numpy.int64), *lane_bounds[1:]]),
        overlapping, squeezed,
    )


cdef inline int64_t slot_of(const int64_t* keys, int64_t slots, int64_t key) noexcept nogil:
    cdef uint64_t hashed = <uint64_t>key * <uint64_t>0x9E3779B97F4A7C15
    cdef int64_t slot = <int64_t>((hashed ^ (hashed >> 32)) & <uint64_t>(slots - 1))
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & (slots - 1)
    return slot


def launchers(const int64_t[::1] correlation, const uint8_t[::1] role):
    """What `reference.nesting.launchers` gives."""
    cdef int64_t count = len(correlation), at, calls = 0, slots = 4, slot, lowest = INT64_MAX, highest = INT64_MIN, key
    cdef bint is_dense
    result = numpy.full(count, -1, numpy.int32)
    cdef int32_t[::1] launched_by = result
    if len(role) != count:
        raise ValueError("columns of different lengths")
    with nogil:
        for at in range(count):
            if correlation[at] != 0 and (role[at] == CALL or role[at] == LAUNCH):
                calls += 1
                lowest = min(lowest, correlation[at])
                highest = max(highest, correlation[at])
    if not calls:
        return result
    # Numbered one after the other, as most are, they need no hashing, and memory is read in its order.
    is_dense = <uint64_t>highest - <uint64_t>lowest < <uint64_t>(8 * calls)
    while slots < 2 * calls:
        slots *= 2
    if is_dense:
        slots = highest - lowest + 1
    keys_array = numpy.zeros(0 if is_dense else slots, numpy.int64)
    rows_array = numpy.full(slots, -1, numpy.int32)
    cdef int64_t[::1] keys = keys_array
    cdef int32_t[::1] rows = rows_array
    with nogil:
        for at in range(count):
            key = correlation[at]
            if key != 0 and (role[at] == CALL or role[at] == LAUNCH):
                if is_dense:
                    slot = key - lowest
                else:
                    slot = slot_of(&keys[0], slots, key)
                    keys[slot] = key
                if rows[slot] < 0 or (role[at] == LAUNCH and role[rows[slot]] == CALL):
                    rows[slot] = <int32_t>at
        for at in range(count):
            key = correlation[at]
            if key != 0 and role[at] == WORK and (not is_dense or lowest <= key <= highest):
                slot = key - lowest if is_dense else slot_of(&keys[0], slots, key)
                launched_by[at] = rows[slot]
    return result


def launched_within(const int32_t[::1] parent, const int32_t[::1] launched_by, const int64_t[::1] duration):
    """What `reference.nesting.launched_within` gives."""
    cdef int64_t count = len(parent), at
    cdef int32_t above
    time_array, kernels_array = numpy.zeros(count, numpy.int64), numpy.zeros(count, numpy.int32)
    cdef int64_t[::1] time = time_array
    cdef int32_t[::1] kernels = kernels_array
    if len(launched_by) != count or len(duration) != count:
        raise ValueError("columns of different lengths")
    with nogil:
        for at in range(count):
            above = launched_by[at]
            if above >= count:
                with gil:
                    raise ValueError("a launch that does not exist")
            if above >= 0:
                time[above] += duration[at]
                kernels[above] += 1
        for at in range(count - 1, -1, -1):
            above = parent[at]
            if above >= at:
                with gil:
                    raise ValueError("a parent stands behind its child")
            if above >= 0 and kernels[at]:
                time[above] += time[at]
                kernels[above] += kernels[at]
    return time_array, kernels_array


def repeats(
    const int32_t[::1] parent, const uint8_t[::1] is_call, const int32_t[::1] group, const int32_t[::1] names
):
    """What `reference.nesting.repeats` gives."""
    cdef int64_t count = len(parent), at, made = 0
    cdef int32_t above
    calls_array = numpy.zeros(count, numpy.uint8)  # two are as many as a hundred
    result = numpy.empty(count, numpy.int32)
    cdef uint8_t[::1] calls = calls_array
    cdef int32_t[::1] rows = result
    if len(is_call) != count or len(group) != count:
        raise ValueError("columns of different lengths")
    with nogil:
        for at in range(count):
            above = parent[at]
            if above >= at:
                with gil:
                    raise ValueError("a parent stands behind its child")
            if group[at] < 0 or group[at] >= names.shape[0]:
                with gil:
                    raise ValueError("a group that does not exist")
            if above >= 0 and is_call[at] and calls[above] < 2:
                calls[above] += 1
        for at in range(count):
            above = parent[at]
            if above >= 0 and is_call[at] and calls[above] == 1 and names[group[at]] == names[group[above]]:
                rows[made] = <int32_t>at
                made += 1
    return result[:made].copy()


def nearest(const int32_t[::1] parent, const uint8_t[::1] is_wanted):
    """For each row the nearest row that is wanted, itself or above it; -1 for none."""
    cdef int64_t at
    cdef int32_t above
    result = numpy.empty(len(parent), numpy.int32)
    cdef int32_t[::1] rows = result
    if len(is_wanted) != len(parent):
        raise ValueError("columns of different lengths")
    with nogil:
        for at in range(<int64_t>len(parent)):
            above = parent[at]
            if above >= at:
                with gil:
                    raise ValueError("a parent stands behind its child")
            if is_wanted[at]:
                rows[at] = <int32_t>at
            else:
                rows[at] = rows[above] if above >= 0 else -1
    return result
