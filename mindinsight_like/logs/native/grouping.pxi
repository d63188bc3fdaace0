# What was found, sorted by series, with statistics: the columns of a batch. Included by _scan.pyx.

ctypedef fused real:
    float
    double

cdef packed struct Stats:  # batch.STATS
    int64_t count
    int64_t first_step
    int64_t last_step
    double low
    double high
    double last_value
    int64_t non_finite
    double first_wall
    double last_wall

cdef packed struct Block:  # batch.BLOCK
    double low
    double high
    uint32_t low_at
    uint32_t high_at
    uint32_t odd_at

cdef packed struct Start:  # batch.START
    int64_t step
    double wall
    int64_t offset

cdef struct Group:
    int64_t count
    int64_t start
    int64_t cursor


cdef void count_points(Scan* scan, Group* groups) noexcept nogil:
    cdef size_t index
    for index in range(scan.point_count):
        groups[scan.points[index].number].count += 1


cdef int64_t place_groups(Group* groups, size_t count, uint32_t* numbers, int64_t* starts) noexcept nogil:
    """Lay the series out one after the other; gives the number of points."""
    cdef size_t number
    cdef size_t present = 0
    cdef int64_t position = 0
    for number in range(count):
        if groups[number].count:
            numbers[present] = <uint32_t>number
            starts[present] = position
            groups[number].start = groups[number].cursor = position
            position += groups[number].count
            present += 1
    starts[present] = position
    return position


cdef bint scatter_points(Scan* scan, Group* groups, int64_t* steps, double* walls, real* values) noexcept nogil:
    """Put every point in its series' place; tells whether each value kept its exact value."""
    cdef size_t index
    cdef int64_t at
    cdef Point* point
    cdef Group* group
    cdef real value
    cdef bint exact = True
    for index in range(scan.point_count):
        point = &scan.points[index]
        group = &groups[point.number]
        at = group.cursor
        group.cursor = at + 1
        steps[at] = point.step
        walls[at] = point.wall
        value = <real>point.value
        values[at] = value
        if <double>value != point.value and point.value == point.value:
            exact = False
    return exact


cdef int64_t summarise(
    int64_t* starts, size_t present, int64_t* steps, double* walls, real* values, Stats* stats, Block* blocks
) noexcept nogil:
    """Fill in stats and blocks of every series; gives the number of steps that are not larger than the one before."""
    cdef size_t series
    cdef int64_t begin, end, at, stop, backwards = 0
    cdef Stats* stat
    cdef Block* block = blocks
    cdef real value, low, high
    cdef uint32_t low_at, high_at, odd_at, place
    cdef double wall, last_wall
    for series in range(present):
        begin, end = starts[series], starts[series + 1]
        stat = &stats[series]
        stat.count = end - begin
        stat.first_step = steps[begin]
        stat.last_step = steps[end - 1]
        stat.last_value = values[end - 1]
        stat.first_wall = walls[begin]
        stat.low = stat.high = NOT_A_NUMBER
        stat.non_finite = 0
        last_wall = walls[begin]
        for at in range(begin + 1, end):
            wall = walls[at]
            if wall > last_wall or last_wall != last_wall:
                last_wall = wall
            backwards += steps[at] <= steps[at - 1]
        stat.last_wall = last_wall
        while begin < end:
            stop = begin + BLOCK_POINTS if end - begin > BLOCK_POINTS else end
            low = <real>INFINITE
            high = <real>-INFINITE
            low_at = high_at = odd_at = NOWHERE
            for place in range(<uint32_t>(stop - begin)):
                value = values[begin + place]
                if not mi_likely(value - value == 0):
                    stat.non_finite += 1
                    if odd_at == NOWHERE:
                        odd_at = place
                    continue
                if value < low:
                    low = value
                    low_at = place
                if value > high:
                    high = value
                    high_at = place
            block.low_at, block.high_at, block.odd_at = low_at, high_at, odd_at
            block.low = block.high = NOT_A_NUMBER
            if low_at != NOWHERE:
                block.low, block.high = low, high
                if not stat.low <= block.low:
                    stat.low = block.low
                if not stat.high >= block.high:
                    stat.high = block.high
            block += 1
            begin = stop
    return backwards


cdef void find_breaks(int64_t* starts, size_t present, int64_t* steps, int64_t* breaks) noexcept nogil:
    cdef size_t series
    cdef int64_t at
    for series in range(present):
        for at in range(starts[series] + 1, starts[series + 1]):
            if steps[at] <= steps[at - 1]:
                breaks[0] = at
                breaks += 1


cdef void scatter_blobs(
    Scan* scan, Group* groups, int64_t* steps, double* walls, int64_t* offsets, int64_t* lengths
) noexcept nogil:
    cdef size_t index
    cdef int64_t at
    cdef Blob* blob
    for index in range(scan.blob_count):
        blob = &scan.blobs[index]
        at = groups[blob.number].cursor
        groups[blob.number].cursor = at + 1
        steps[at] = blob.step
        walls[at] = blob.wall
        offsets[at] = blob.offset
        lengths[at] = blob.length


cdef bint is_start(Scan* scan, Blob* blob) noexcept nogil:
    """Whether a blob is TensorBoard's SessionLog START."""
    cdef Key* key = &scan.keys[blob.number]
    return key.size == 6 and scan.names[key.at] == SESSION and memcmp(scan.names + key.at + 1, b"start", 5) == 0


cdef size_t count_starts(Scan* scan, bint* is_inside) noexcept nogil:
    """How many starts there are; is_inside: any of them comes after a point."""
    cdef size_t index
    cdef size_t count = 0
    is_inside[0] = False
    for index in range(scan.blob_count):
        if is_start(scan, &scan.blobs[index]):
            count += 1
            if scan.blobs[index].points:
                is_inside[0] = True
    return count


cdef void list_starts(Scan* scan, Start* starts) noexcept nogil:
    cdef size_t index
    cdef Blob* blob
    for index in range(scan.blob_count):
        blob = &scan.blobs[index]
        if is_start(scan, blob):
            starts.step, starts.wall, starts.offset = blob.step, blob.wall, blob.offset
            starts += 1


cdef void scatter_sessions(Scan* scan, Group* groups, uint32_t* sessions) noexcept nogil:
    """For every point in its series' place the number of starts before it; cursors stand at the series' starts."""
    cdef size_t index, at
    cdef size_t blob = 0
    cdef uint32_t session = 0
    for index in range(scan.point_count):
        while blob < scan.blob_count and scan.blobs[blob].points <= index:
            session += is_start(scan, &scan.blobs[blob])
            blob += 1
        at = groups[scan.points[index].number].cursor
        groups[scan.points[index].number].cursor = at + 1
        sessions[at] = session


cdef size_t present_groups(Group* groups, size_t count, int64_t* blocks) noexcept nogil:
    """How many series have points, and how many blocks these fill."""
    cdef size_t number
    cdef size_t present = 0
    blocks[0] = 0
    for number in range(count):
        present += groups[number].count != 0
        blocks[0] += (groups[number].count + BLOCK_POINTS - 1) // BLOCK_POINTS
    return present
