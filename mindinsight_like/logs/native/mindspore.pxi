# Values of MindSpore events and lineage events. Included by _scan.pyx.

cdef inline int read_mindspore_value(Scan* scan, Field* message, int64_t step, double wall) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p = message.begin
    cdef const uint8_t* tag = p
    cdef size_t size = 0
    cdef uint32_t kind = NO_KIND
    cdef double value = 0.0
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL:
            return MALFORMED
        if field.wire == BYTES:
            if field.id == MS_VALUE_TAG:
                tag = field.begin
                size = <size_t>(field.end - field.begin)
            elif field.id == MS_VALUE_IMAGE:
                kind = IMAGE
            elif field.id == MS_VALUE_TENSOR:
                kind = TENSOR
            elif field.id == MS_VALUE_HISTOGRAM:
                kind = HISTOGRAM
            elif field.id == MS_VALUE_LOSS_LANDSCAPE:
                kind = LANDSCAPE
        elif field.id == MS_VALUE_SCALAR_VALUE and field.wire == FIXED32:
            kind = SCALAR
            value = single_at(field.begin)
    if mi_likely(kind == SCALAR):
        return keep_point(scan, tag, size, step, wall, value)
    if kind == NO_KIND:
        return FINE
    return keep_blob(scan, kind, tag, size, step, wall, message.begin, message.end)


cdef inline int read_mindspore_part(Scan* scan, Field* part, int64_t step, double wall) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p
    cdef int status
    if mi_likely(part.id == MS_EVENT_SUMMARY):
        p = part.begin
        while p < part.end:
            p = next_field(p, part.end, &field)
            if p == NULL:
                return MALFORMED
            if field.id == MS_SUMMARY_VALUE and field.wire == BYTES:
                status = read_mindspore_value(scan, &field, step, wall)
                if status != FINE:
                    return status
        return FINE
    if part.id == MS_EVENT_GRAPH_DEF:
        return keep_named(scan, GRAPH, b"graph", 5, step, wall, part)
    if part.id == MS_EVENT_EXPLAIN:
        return keep_named(scan, EXPLAIN, b"explain", 7, step, wall, part)
    return FINE


cdef int read_lineage_part(Scan* scan, uint32_t id, Field* event, int64_t step, double wall) noexcept nogil:
    if id == LINEAGE_TRAIN_LINEAGE:
        return keep_named(scan, LINEAGE, b"train", 5, step, wall, event)
    if id == LINEAGE_EVALUATION_LINEAGE:
        return keep_named(scan, LINEAGE, b"evaluation", 10, step, wall, event)
    if id == LINEAGE_DATASET_GRAPH:
        return keep_named(scan, LINEAGE, b"dataset_graph", 13, step, wall, event)
    if id == LINEAGE_USER_DEFINED_INFO:
        return keep_named(scan, LINEAGE, b"user_defined", 12, step, wall, event)
    return FINE
