# Records of SwanLab. Included by _records.pyx.

cdef int read_scalar(Scan* scan, Field* message, bint take) noexcept nogil:
    cdef Field field, inner, key
    cdef const uint8_t* p = message.begin
    cdef const uint8_t* q
    cdef int64_t step = 0
    cdef double wall
    cdef double value = 0.0
    cdef bint has_value = False
    key.begin = key.end = message.begin
    if not time_in(message, SCALAR_TIMESTAMP, &wall):
        return MALFORMED
    while p < message.end:
        p = next_field(p, message.end, &field)
        if field.id == SCALAR_KEY and field.wire == BYTES:
            key = field
        elif field.id == SCALAR_STEP and field.wire == VARINT:
            step = <int64_t>field.number
        elif field.id == SCALAR_VALUE and field.wire == BYTES:
            has_value = True
            value = 0.0
            q = field.begin
            while q < field.end:
                q = next_field(q, field.end, &inner)
                if q == NULL:
                    return MALFORMED
                if inner.id == SCALAR_VALUE_NUMBER and inner.wire == FIXED64:
                    value = double_at(inner.begin)
    if take and has_value and not keep_point(scan, key.begin, key.end - key.begin, step, wall, value):
        return NO_MEMORY
    return FINE


cdef int read_log(Scan* scan, Field* message, bint take) noexcept nogil:
    cdef const uint8_t* p
    cdef const uint8_t* end
    cdef const uint8_t* stop
    cdef double wall
    if not time_in(message, LOG_TIMESTAMP, &wall):
        return MALFORMED
    if not take:
        return FINE
    p = bytes_of(message, LOG_LINE, &end)
    if p < end and (end - 1)[0] == c"\n":
        end -= 1
    while True:
        stop = <const uint8_t*>memchr(p, c"\n", end - p) if p < end else NULL
        if not keep_line(scan, p, (stop if stop != NULL else end) - p, wall):
            return NO_MEMORY
        if stop == NULL:
            return FINE
        p = stop + 1


cdef int read_swanlab_part(Scan* scan, Field* field, bint take) noexcept nogil:
    if field.id == SWANLAB_SCALAR:
        return read_scalar(scan, field, take)
    if field.id == SWANLAB_LOG:
        return read_log(scan, field, take)
    if not take:
        return FINE
    if (
        field.id == SWANLAB_START
        or field.id == SWANLAB_FINISH
        or field.id == SWANLAB_COLUMN
        or field.id == SWANLAB_MEDIA
    ):
        return FINE if keep(scan, field.id, field, 0, NOT_A_NUMBER) else NO_MEMORY
    return FINE
