# Records of files: framed with checksums, by their length alone, or the parts of a tablet. Included by _scan.pyx.

cdef inline bint checksum_holds(const uint8_t* begin, size_t size) noexcept nogil:
    return mi_masked_crc(begin, size) == mi_load32(begin + size)


cdef bint is_header(const uint8_t* p, const uint8_t* end) noexcept nogil:
    return end - p >= HEADER and mi_load64(p) <= MAX_LENGTH and checksum_holds(p, 8)


cdef const uint8_t* after_zeros(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """The first byte that is not zero, or the end."""
    while end - p >= 8 and mi_load64(p) == 0:
        p += 8
    while p < end and p[0] == 0:
        p += 1
    return p


cdef const uint8_t* next_header(const uint8_t* p, const uint8_t* end) noexcept nogil:
    while end - p >= HEADER and not is_header(p, end):
        if mi_load64(p) == 0 and mi_load32(p + 8) == 0:  # zeros are no header: preallocated space, holes of sparse files
            p = after_zeros(p + HEADER, end) - HEADER
        p += 1
    return p


cdef void forget_since(Scan* scan, size_t points, size_t blobs, size_t keys) noexcept nogil:
    """Undo what a record brought before it turned out to be malformed."""
    scan.point_count = points
    scan.blob_count = blobs
    if scan.key_count > keys:
        scan.names_size = scan.keys[keys].at
        scan.key_count = keys
        place_all_keys(scan)


cdef const uint8_t* feed_frames(
    Scan* scan, uint32_t dialect, const uint8_t* p, const uint8_t* size_end, bint at_end, bint* short_of_memory
) noexcept nogil:
    cdef uint64_t length
    cdef const uint8_t* end
    cdef size_t points, blobs, keys
    cdef int status
    while size_end - p >= HEADER:
        length = mi_load64(p)
        if not mi_likely(checksum_holds(p, 8) and length <= MAX_LENGTH):
            if not damaged_at(scan, p, ABSURD_LENGTH if checksum_holds(p, 8) else LENGTH_CHECKSUM):
                break
            p = next_header(p + 1, size_end)
            continue
        if length + FRAME > <uint64_t>(size_end - p):
            scan.wanted = length + FRAME
            return p
        end = p + FRAME + length
        if not mi_likely(checksum_holds(p + HEADER, <size_t>length)):
            if size_end - end < HEADER and not at_end:
                scan.wanted = length + FRAME + HEADER
                return p
            if not damaged_at(scan, p, PAYLOAD_CHECKSUM):
                break
            p = end if is_header(end, size_end) else next_header(p + 1, size_end)
            continue
        points, blobs, keys = scan.point_count, scan.blob_count, scan.key_count
        status = read_event(scan, dialect, p + HEADER, end - 4)
        if mi_likely(status == FINE):
            intact_at(scan, p)
        else:
            forget_since(scan, points, blobs, keys)
            if status == NO_MEMORY or not damaged_at(scan, p, UNPARSABLE):
                break
        p = end
    else:
        return p
    short_of_memory[0] = True
    return p


cdef bint is_whole_record(Scan* scan, const uint8_t* p, const uint8_t* end) noexcept nogil:
    cdef uint64_t length = mi_load64(p)
    p += PREFIX
    if length == 0 or length > <uint64_t>(end - p) or p[0] != 0x0A:
        return False
    return read_visualdl(scan, p, p + length, False) == FINE


cdef bint is_one_value(const uint8_t* p, const uint8_t* end) noexcept nogil:
    cdef uint64_t inner
    cdef const uint8_t* after
    if end - p < JUDGED or p[PREFIX] != 0x0A:
        return False
    after = varint(p + PREFIX + 1, p + PREFIX + 6, &inner)
    return after != NULL and <uint64_t>(after - p - PREFIX) + inner == mi_load64(p)


cdef const uint8_t* next_record(Scan* scan, const uint8_t* p, const uint8_t* end) noexcept nogil:
    cdef uint64_t length
    cdef const uint8_t* after
    while end - p >= JUDGED:
        length = mi_load64(p)
        if length == 0:
            after = after_zeros(p + PREFIX, end) - PREFIX
            p = after if after < end - JUDGED else end - JUDGED
        elif length <= MAX_LENGTH and p[PREFIX] == 0x0A:
            if length > <uint64_t>(end - p - PREFIX):
                if is_one_value(p, end):
                    return p
            elif is_whole_record(scan, p, end):
                return p
        p += 1
    return p


cdef const uint8_t* whole_record(Scan* scan, const uint8_t* p, const uint8_t* end) noexcept nogil:
    while end - p >= JUDGED:
        if p[PREFIX] == 0x0A and is_whole_record(scan, p, end):
            return p
        p += 1
    return NULL


cdef const uint8_t* feed_lengths(
    Scan* scan, const uint8_t* p, const uint8_t* size_end, bint at_end, bint* short_of_memory
) noexcept nogil:
    cdef uint64_t length
    cdef const uint8_t* end
    cdef const uint8_t* later
    cdef bint is_sound
    cdef size_t points, blobs, keys
    cdef int status
    while size_end - p >= PREFIX:
        length = mi_load64(p)
        if length == 0 or length > MAX_LENGTH:
            if not damaged_at(scan, p, ABSURD_LENGTH):
                break
        elif mi_likely(length <= <uint64_t>(size_end - p - PREFIX)):
            end = p + PREFIX + length
            points, blobs, keys = scan.point_count, scan.blob_count, scan.key_count
            status = read_visualdl(scan, p + PREFIX, end, True)
            if mi_likely(status == FINE):
                intact_at(scan, p)
                p = end
                continue
            forget_since(scan, points, blobs, keys)
            if status == NO_MEMORY or not damaged_at(scan, p, UNPARSABLE):
                break
        else:
            is_sound = is_one_value(p, size_end)
            later = whole_record(scan, p + 1, size_end) if at_end or not is_sound else NULL
            if later != NULL:
                if not damaged_at(scan, p, ABSURD_LENGTH):
                    break
                p = later
                continue
            if not scan.damaged or size_end - p < JUDGED or is_sound:
                if size_end - p >= JUDGED or not scan.damaged:
                    scan.wanted = length + PREFIX
                return p
        p = next_record(scan, p + 1, size_end)
    else:
        return p
    short_of_memory[0] = True
    return p


cdef bint is_cut(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether the field at `p` only lacks bytes behind the end of the data."""
    cdef uint64_t key, number
    cdef const uint8_t* after = varint(p, end, &key)
    if after == NULL:
        return end - p < 10
    if key < 8 or key >> 32 or not (key & 7 <= 2 or key & 7 == 5):
        return False
    if (key & 7 == VARINT or key & 7 == BYTES) and varint(after, end, &number) == NULL:
        return end - after < 10
    return True


cdef const uint8_t* feed_tablet(
    Scan* scan, const uint8_t* begin, const uint8_t* end, const uint8_t* tag, size_t size, bint* short_of_memory
) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p = begin
    cdef const uint8_t* after
    cdef uint64_t component = 0
    cdef const uint8_t* limit
    cdef size_t points, blobs, keys
    cdef int status
    while p < end:
        after = next_field(p, end, &field)
        if after == NULL:
            break
        p = after
        if field.id == TABLET_COMPONENT and field.wire == VARINT:
            component = field.number
    limit = p
    p = begin
    while p < limit:
        p = next_field(p, limit, &field)
        if field.id != TABLET_RECORDS or field.wire != BYTES:
            continue
        points, blobs, keys = scan.point_count, scan.blob_count, scan.key_count
        status = read_tablet_record(scan, &field, component, tag, size)
        if status == FINE:
            intact_at(scan, field.begin)
        else:
            forget_since(scan, points, blobs, keys)
            if status == NO_MEMORY or not damaged_at(scan, field.begin, UNPARSABLE):
                short_of_memory[0] = True
                return p
    if limit < end and not is_cut(limit, end):
        if not damaged_at(scan, limit, UNPARSABLE):
            short_of_memory[0] = True
        return end
    return limit
