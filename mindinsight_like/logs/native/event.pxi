# Events of TensorBoard and MindSpore: time and step, then what is in them. Included by _scan.pyx.

cdef inline int read_event(Scan* scan, uint32_t dialect, const uint8_t* begin, const uint8_t* end) noexcept nogil:
    """Read an event of TensorBoard or MindSpore; only time and step have the same numbers in both."""
    cdef Field field
    cdef Field event
    cdef const uint8_t* p = begin
    cdef const uint8_t* first = end
    cdef double wall = 0.0
    cdef int64_t step = 0
    cdef int status = FINE
    while p < end:
        # Time and step may stand behind the values, so look for them first.
        if p[0] >> 3 > TB_EVENT_STEP and first == end:
            first = p
        p = next_field(p, end, &field)
        if p == NULL:
            return MALFORMED
        if field.id == TB_EVENT_WALL_TIME and field.wire == FIXED64:
            wall = double_at(field.begin)
        elif field.id == TB_EVENT_STEP and field.wire == VARINT:
            step = <int64_t>field.number
    event.begin = begin
    event.end = end
    p = first
    while p < end:
        p = next_field(p, end, &field)
        if field.wire != BYTES:
            continue
        if dialect == TENSORBOARD:
            status = read_tensorboard_part(scan, &field, step, wall)
        elif dialect == MINDSPORE:
            status = read_mindspore_part(scan, &field, step, wall)
        else:
            status = read_lineage_part(scan, field.id, &event, step, wall)
        if status != FINE:
            return status
    return FINE
