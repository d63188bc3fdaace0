# Records of VisualDL 1.x tablets. Included by _scan.pyx.

cdef int read_entry(Field* message, double* value) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p = message.begin
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL:
            return MALFORMED
        if (field.id == ENTRY_I32 or field.id == ENTRY_I64 or field.id == ENTRY_B) and field.wire == VARINT:
            value[0] = <double><int64_t>field.number
        elif field.id == ENTRY_F and field.wire == FIXED32:
            value[0] = single_at(field.begin)
        elif field.id == ENTRY_D and field.wire == FIXED64:
            value[0] = double_at(field.begin)
    return FINE


cdef int read_tablet_record(
    Scan* scan, Field* message, uint64_t component, const uint8_t* tag, size_t size
) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p = message.begin
    cdef int64_t step = 0
    cdef double wall = 0.0
    cdef double value = 0.0
    cdef size_t entries = 0
    cdef uint32_t kind
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL:
            return MALFORMED
        if field.id == LEGACY_RECORD_DATA and field.wire == BYTES:
            entries += 1
            if entries == 1 and component == TABLET_SCALAR and read_entry(&field, &value) == MALFORMED:
                return MALFORMED
        elif field.id == LEGACY_RECORD_TIMESTAMP and field.wire == VARINT:
            wall = seconds(<int64_t>field.number)
        elif field.id == LEGACY_RECORD_ID and field.wire == VARINT:
            step = <int64_t>field.number
    if component == TABLET_SCALAR:
        return keep_point(scan, tag, size, step, wall, value) if entries else FINE
    if component == TABLET_HISTOGRAM:
        kind = HISTOGRAM
    elif component == TABLET_IMAGE:
        kind = IMAGE
    elif component == TABLET_TEXT:
        kind = TEXT
    elif component == TABLET_AUDIO:
        kind = AUDIO
    elif component == TABLET_EMBEDDING:
        kind = EMBEDDING
    else:
        return FINE
    return keep_blob(scan, kind, tag, size, step, wall, message.begin, message.end)
