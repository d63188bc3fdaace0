# Values of TensorBoard events. Included by _scan.pyx.

cdef inline uint32_t plugin_kind(const uint8_t* name, size_t size, uint64_t data_class) noexcept nogil:
    if size == 7 and memcmp(name, b"scalars", 7) == 0:
        return SCALAR
    if size == 10 and memcmp(name, b"histograms", 10) == 0:
        return HISTOGRAM
    if size == 6 and memcmp(name, b"images", 6) == 0:
        return IMAGE
    if size == 5 and memcmp(name, b"audio", 5) == 0:
        return AUDIO
    if size == 4 and memcmp(name, b"text", 4) == 0:
        return TEXT
    if size == 9 and memcmp(name, b"pr_curves", 9) == 0:
        return PR_CURVE
    if size == 4 and memcmp(name, b"mesh", 4) == 0:
        return MESH
    if size == 7 and memcmp(name, b"hparams", 7) == 0:
        return HPARAMS
    if size == 14 and memcmp(name, b"custom_scalars", 14) == 0:
        return CUSTOM_SCALARS
    if size >= 6 and memcmp(name, b"graph_", 6) == 0:
        return GRAPH
    if data_class == DATA_CLASS_SCALAR:
        return SCALAR
    return TENSOR if size else AS_BEFORE


cdef inline int read_metadata(Field* metadata, uint32_t* kind) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p = metadata.begin
    cdef const uint8_t* name = p
    cdef const uint8_t* stop = p
    cdef uint64_t data_class = 0
    while p < metadata.end:
        p = next_field(p, metadata.end, &field)
        if p == NULL:
            return MALFORMED
        if field.id == METADATA_PLUGIN_DATA and field.wire == BYTES:
            name = bytes_of(&field, PLUGIN_DATA_PLUGIN_NAME, &stop)
            if name == NULL:
                return MALFORMED
        elif field.id == METADATA_DATA_CLASS and field.wire == VARINT:
            data_class = field.number
    kind[0] = plugin_kind(name, <size_t>(stop - name), data_class)
    return FINE


cdef inline int read_tensorboard_value(Scan* scan, Field* message, int64_t step, double wall) noexcept nogil:
    cdef Field field
    cdef Field chosen
    cdef const uint8_t* p = message.begin
    cdef const uint8_t* tag = p
    cdef const uint8_t* picture
    cdef const uint8_t* stop
    cdef size_t size = 0
    cdef uint32_t kind
    cdef uint32_t plugin = AS_BEFORE
    cdef bint is_number = False
    cdef double value = 0.0
    chosen.id = 0
    chosen.begin = chosen.end = p
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL:
            return MALFORMED
        if field.wire == BYTES:
            if field.id == TB_VALUE_TAG:
                tag = field.begin
                size = <size_t>(field.end - field.begin)
            elif field.id == TB_VALUE_METADATA:
                if read_metadata(&field, &plugin) == MALFORMED:
                    return MALFORMED
            elif (
                TB_VALUE_OBSOLETE_OLD_STYLE_HISTOGRAM <= field.id <= TB_VALUE_TENSOR
                and field.id != TB_VALUE_NODE_NAME
            ):
                chosen = field
        elif field.id == TB_VALUE_SIMPLE_VALUE and field.wire == FIXED32:
            chosen = field
    if mi_likely(chosen.id == TB_VALUE_SIMPLE_VALUE):
        return keep_point(scan, tag, size, step, wall, single_at(chosen.begin))
    if chosen.id == TB_VALUE_TENSOR:
        kind = plugin
        if kind == SCALAR or kind == AS_BEFORE:
            if tensor_number(&chosen, &is_number, &value) == MALFORMED:
                return MALFORMED
            if kind == AS_BEFORE:
                kind = kind_before(scan, tag, size)
            if kind == SCALAR:
                if is_number:
                    return keep_point(scan, tag, size, step, wall, value)
                kind = TENSOR
    elif chosen.id == TB_VALUE_IMAGE:
        picture = bytes_of(&chosen, IMAGE_ENCODED_IMAGE_STRING, &stop)
        if picture == NULL:
            return MALFORMED
        kind = VIDEO if stop - picture >= 4 and memcmp(picture, b"GIF8", 4) == 0 else IMAGE
    elif chosen.id == TB_VALUE_HISTO:
        kind = HISTOGRAM
    elif chosen.id == TB_VALUE_AUDIO:
        kind = AUDIO
    elif chosen.id == 0 and plugin == HPARAMS:
        kind = HPARAMS
    else:
        return FINE
    return keep_blob(scan, kind, tag, size, step, wall, message.begin, message.end)


cdef int read_session(Scan* scan, Field* message, int64_t step, double wall) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p = message.begin
    cdef uint64_t status = 0
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL:
            return MALFORMED
        if field.id == SESSION_LOG_STATUS and field.wire == VARINT:
            status = field.number
    if status == SESSION_START:
        return keep_named(scan, SESSION, b"start", 5, step, wall, message)
    if status == SESSION_STOP:
        return keep_named(scan, SESSION, b"stop", 4, step, wall, message)
    if status == SESSION_CHECKPOINT:
        return keep_named(scan, SESSION, b"checkpoint", 10, step, wall, message)
    return FINE


cdef inline int read_tensorboard_part(Scan* scan, Field* part, int64_t step, double wall) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p
    cdef const uint8_t* stop
    cdef int status
    if mi_likely(part.id == TB_EVENT_SUMMARY):
        p = part.begin
        while p < part.end:
            p = next_field(p, part.end, &field)
            if p == NULL:
                return MALFORMED
            if field.id == TB_SUMMARY_VALUE and field.wire == BYTES:
                status = read_tensorboard_value(scan, &field, step, wall)
                if status != FINE:
                    return status
        return FINE
    if part.id == TB_EVENT_GRAPH_DEF:
        return keep_named(scan, GRAPH, b"graph", 5, step, wall, part)
    if part.id == TB_EVENT_META_GRAPH_DEF:
        return keep_named(scan, GRAPH, b"meta_graph", 10, step, wall, part)
    if part.id == TB_EVENT_SESSION_LOG:
        return read_session(scan, part, step, wall)
    if part.id == TB_EVENT_TAGGED_RUN_METADATA:
        p = bytes_of(part, RUN_METADATA_TAG, &stop)
        if p == NULL:
            return MALFORMED
        return keep_blob(scan, RUN_METADATA, p, <size_t>(stop - p), step, wall, part.begin, part.end)
    return FINE
