# Fields of protobuf messages. Included by _scan.pyx.

cdef const uint8_t* long_varint(const uint8_t* p, const uint8_t* end, uint64_t* number) noexcept nogil:
    cdef uint64_t result = 0
    cdef int shift = 0
    while p < end and shift < 70:
        result |= <uint64_t>(p[0] & 0x7F) << shift
        if p[0] < 0x80:
            number[0] = result
            return p + 1
        p += 1
        shift += 7
    return NULL


cdef inline const uint8_t* varint(const uint8_t* p, const uint8_t* end, uint64_t* number) noexcept nogil:
    """Read a number; gives the position after it, or NULL."""
    if mi_likely(p < end and p[0] < 0x80):
        number[0] = p[0]
        return p + 1
    return long_varint(p, end, number)


cdef inline const uint8_t* next_field(const uint8_t* p, const uint8_t* end, Field* field) noexcept nogil:
    """Read the field at `p`; gives the position after it, or NULL when there is none."""
    cdef uint64_t key
    p = varint(p, end, &key)
    if p == NULL or key < 8 or key >> 32:
        return NULL
    field.id = <uint32_t>(key >> 3)
    field.wire = <uint32_t>(key & 7)
    field.number = 0
    field.begin = p
    if field.wire == BYTES:
        p = varint(p, end, &field.number)
        if p == NULL or field.number > <uint64_t>(end - p):
            return NULL
        field.begin = p
        p += field.number
    elif field.wire == VARINT:
        p = varint(p, end, &field.number)
        if p == NULL:
            return NULL
    elif field.wire == FIXED32:
        if end - p < 4:
            return NULL
        p += 4
    elif field.wire == FIXED64:
        if end - p < 8:
            return NULL
        p += 8
    else:
        return NULL
    field.end = p
    return p


cdef inline double single_at(const uint8_t* p) noexcept nogil:
    return <double>mi_single(mi_load32(p))


cdef inline double double_at(const uint8_t* p) noexcept nogil:
    return mi_double(mi_load64(p))


cdef inline double seconds(int64_t stamp) noexcept nogil:
    return <double>stamp if stamp < MILLISECONDS_FROM else <double>stamp / 1000.0


cdef inline const uint8_t* bytes_of(Field* message, uint32_t id, const uint8_t** stop) noexcept nogil:
    """Begin and end of the last bytes field `id` of a message, empty when it has none; NULL when malformed."""
    cdef Field field
    cdef const uint8_t* p = message.begin
    cdef const uint8_t* found = message.begin
    stop[0] = message.begin
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL:
            return NULL
        if field.id == id and field.wire == BYTES:
            found = field.begin
            stop[0] = field.end
    return found
