# What records are made of, and what is taken of them. Included by _records.pyx.

cdef bint last_integer(Field* message, uint32_t id, int64_t* value) noexcept nogil:
    """Set the last number with an id, if there is one; False when the message is malformed."""
    cdef Field field
    cdef const uint8_t* p = message.begin
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL:
            return False
        if field.id == id and field.wire == VARINT:
            value[0] = <int64_t>field.number
    return True


cdef bint time_in(Field* message, uint32_t id, double* wall) noexcept nogil:
    """The timestamp in a message, NaN when there is none; False when it is malformed."""
    cdef Field field
    cdef const uint8_t* p = message.begin
    cdef int64_t seconds, nanos
    wall[0] = NOT_A_NUMBER
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL:
            return False
        if field.id == id and field.wire == BYTES:
            seconds = nanos = 0
            if not last_integer(&field, TIME_SECONDS, &seconds) or not last_integer(&field, TIME_NANOS, &nanos):
                return False
            wall[0] = <double>seconds + <double>nanos / 1e9
    return True


cdef inline bint keep_point(
    Scan* scan, const uint8_t* tag, size_t size, int64_t step, double wall, double value
) noexcept nogil:
    cdef Point* point
    cdef uint32_t number
    if not number_of(&scan.tags, tag, size, &number):
        return False
    if not grow(<void**>&scan.points, &scan.point_room, scan.point_count + 1, sizeof(Point)):
        return False
    point = &scan.points[scan.point_count]
    point.number = number
    point.step = step
    point.wall = wall
    point.value = value
    scan.point_count += 1
    return True


cdef bint keep(Scan* scan, uint32_t id, Field* message, int64_t step, double wall) noexcept nogil:
    """Leave a part of a record to Python."""
    cdef Record* record
    if not grow(<void**>&scan.records, &scan.record_room, scan.record_count + 1, sizeof(Record)):
        return False
    record = &scan.records[scan.record_count]
    record.id = id
    record.at = scan.kept.size
    record.size = message.end - message.begin
    record.step = step
    record.wall = wall
    if not append(&scan.kept, message.begin, record.size):
        return False
    scan.record_count += 1
    return True


cdef bint keep_line(Scan* scan, const uint8_t* begin, size_t size, double wall) noexcept nogil:
    if not append(&scan.lines, begin, size) or not append(&scan.lines, <const uint8_t*>b"\n", 1):
        return False
    if not grow(<void**>&scan.times, &scan.time_room, scan.time_count + 1, sizeof(double)):
        return False
    scan.times[scan.time_count] = wall
    scan.time_count += 1
    return True
