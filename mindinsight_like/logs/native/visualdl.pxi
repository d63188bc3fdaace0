# Values of VisualDL 2.x records. Included by _scan.pyx.

cdef int keep_grouped_point(
    Scan* scan,
    const uint8_t* tag,
    size_t size,
    const uint8_t* sub,
    size_t sub_size,
    int64_t step,
    double wall,
    double value,
) noexcept nogil:
    cdef size_t needed = size + 1 + sub_size
    if sub_size == 0:
        return keep_point(scan, tag, size, step, wall, value)
    if scan.scratch_room < needed:
        if not grow(<void**>&scan.scratch, &scan.scratch_room, needed, 1):
            return NO_MEMORY
    memcpy(scan.scratch, tag, size)
    scan.scratch[size] = 0
    memcpy(scan.scratch + size + 1, sub, sub_size)
    return keep_point(scan, scan.scratch, needed, step, wall, value)


cdef inline int read_visualdl_value(Scan* scan, Field* message, bint keep) noexcept nogil:
    cdef Field field
    cdef Field chosen
    cdef const uint8_t* p = message.begin
    cdef const uint8_t* tag = p
    cdef const uint8_t* sub = p
    cdef size_t size = 0
    cdef size_t sub_size = 0
    cdef int64_t step = 0
    cdef double wall = 0.0
    cdef double value = 0.0
    cdef uint32_t kind
    chosen.id = 0
    chosen.begin = chosen.end = p
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL:
            return MALFORMED
        if field.id == VDL_VALUE_ID:
            if field.wire != VARINT:
                return MALFORMED
            step = <int64_t>field.number
        elif field.id == VDL_VALUE_TAG:
            if field.wire != BYTES:
                return MALFORMED
            tag = field.begin
            size = <size_t>(field.end - field.begin)
        elif field.id == VDL_VALUE_TIMESTAMP:
            if field.wire != VARINT:
                return MALFORMED
            wall = seconds(<int64_t>field.number)
        else:
            if field.id == VDL_VALUE_VALUE:
                if field.wire != FIXED32:
                    return MALFORMED
            elif field.id <= VDL_VALUE_TAG_VALUE and field.wire != BYTES:
                return MALFORMED
            chosen = field
    if size == 0 or chosen.id == 0:
        return MALFORMED
    if mi_likely(chosen.id == VDL_VALUE_VALUE):
        return keep_point(scan, tag, size, step, wall, single_at(chosen.begin)) if keep else FINE
    if chosen.id == VDL_VALUE_TAG_VALUE:
        p = chosen.begin
        while p < chosen.end:
            p = next_field(p, chosen.end, &field)
            if p == NULL:
                return MALFORMED
            if field.id == TAG_VALUE_TAG and field.wire == BYTES:
                sub = field.begin
                sub_size = <size_t>(field.end - field.begin)
            elif field.id == TAG_VALUE_VALUE and field.wire == FIXED32:
                value = single_at(field.begin)
        return keep_grouped_point(scan, tag, size, sub, sub_size, step, wall, value) if keep else FINE
    if chosen.id == VDL_VALUE_IMAGE:
        kind = IMAGE
    elif chosen.id == VDL_VALUE_AUDIO:
        kind = AUDIO
    elif chosen.id == VDL_VALUE_EMBEDDINGS:
        kind = EMBEDDING
    elif chosen.id == VDL_VALUE_HISTOGRAM:
        kind = HISTOGRAM
    elif chosen.id == VDL_VALUE_PR_CURVE:
        kind = PR_CURVE
    elif chosen.id == VDL_VALUE_META_DATA:
        kind = META
    elif chosen.id == VDL_VALUE_ROC_CURVE:
        kind = ROC_CURVE
    elif chosen.id == VDL_VALUE_TEXT:
        kind = TEXT
    elif chosen.id == VDL_VALUE_HPARAM:
        kind = HPARAMS
    else:
        return FINE
    return keep_blob(scan, kind, tag, size, step, wall, message.begin, message.end) if keep else FINE


cdef inline int read_visualdl(Scan* scan, const uint8_t* begin, const uint8_t* end, bint keep) noexcept nogil:
    """Read a record, or without `keep` only judge it."""
    cdef Field field
    cdef const uint8_t* p = begin
    cdef int status
    if begin == end:
        return MALFORMED
    while p < end:
        p = next_field(p, end, &field)
        if p == NULL or field.id != VDL_RECORD_VALUES or field.wire != BYTES:
            return MALFORMED
        status = read_visualdl_value(scan, &field, keep)
        if status != FINE:
            return status
    return FINE
