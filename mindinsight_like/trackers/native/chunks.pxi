# Blocks of chunks that make up records. Included by _records.pyx.

cdef int read_record(Scan* scan, const uint8_t* begin, const uint8_t* end) noexcept nogil:
    """Take what a record holds, nothing when it is malformed."""
    cdef Field field
    cdef const uint8_t* p = begin
    cdef size_t parts = 0
    cdef int status
    while p < end:
        p = next_field(p, end, &field)
        if p == NULL:
            return MALFORMED
        if field.wire == BYTES:
            parts += 1
    if parts > 1:  # so that a malformed one does not leave the one before it behind
        status = read_parts(scan, begin, end, False)
        if status != FINE:
            return status
    return read_parts(scan, begin, end, True)


cdef int read_parts(Scan* scan, const uint8_t* p, const uint8_t* end, bint take) noexcept nogil:
    cdef Field field
    cdef int status
    while p < end:
        p = next_field(p, end, &field)
        if field.wire != BYTES:
            continue
        status = read_wandb_part(scan, &field, take) if scan.layout == WANDB else read_swanlab_part(scan, &field, take)
        if status != FINE:
            return status
    return FINE


cdef bint damaged_at(Scan* scan, size_t at, int cause) noexcept nogil:
    """Warn of damage, once until an intact record ends the region; False when memory is short."""
    cdef Damaged* region
    if scan.damaged:
        return True
    if not grow(<void**>&scan.regions, &scan.region_room, scan.region_count + 1, sizeof(Damaged)):
        return False
    region = &scan.regions[scan.region_count]
    region.offset = scan.offset + <int64_t>at
    region.cause = cause
    region.skipped = -1
    scan.region_count += 1
    scan.damaged = scan.warned_here = True
    return True


cdef inline void intact_at(Scan* scan, size_t at) noexcept nogil:
    cdef Damaged* region
    if scan.warned_here:
        region = &scan.regions[scan.region_count - 1]
        region.skipped = scan.offset + <int64_t>at - region.offset
    scan.damaged = scan.warned_here = False


cdef inline size_t left_of(Scan* scan, size_t at) noexcept nogil:
    """Bytes from a place to the end of its block."""
    return BLOCK - (scan.offset + <int64_t>at) % BLOCK


cdef inline size_t length_at(Scan* scan, size_t at) noexcept nogil:
    return scan.data[at + 4] | <size_t>scan.data[at + 5] << 8


cdef inline bint is_whole(Scan* scan, size_t at, size_t left) noexcept nogil:
    """Whether type and length of a chunk may be true."""
    return FULL <= scan.data[at + 6] <= LAST and length_at(scan, at) + HEADER <= left


cdef inline bint checksum_holds(Scan* scan, size_t at, size_t end) noexcept nogil:
    return mi_crc32(scan.data + at + 6, end - at - 6) == mi_load32(scan.data + at)


cdef bint holds(Scan* scan, size_t at) noexcept nogil:
    """Whether an intact chunk begins at a place."""
    cdef size_t end
    if at + HEADER > scan.size or not is_whole(scan, at, left_of(scan, at)):
        return False
    end = at + HEADER + length_at(scan, at)
    return end <= scan.size and checksum_holds(scan, at, end)


cdef bint is_zero(const uint8_t* p, const uint8_t* end) noexcept nogil:
    while end - p >= 8:
        if mi_load64(p):
            return False
        p += 8
    while p < end:
        if p[0]:
            return False
        p += 1
    return True


cdef int64_t chunk_end(Scan* scan, size_t at, size_t left) noexcept nogil:
    """Where the chunk at a place ends; negative when it has to wait for more bytes, the place when it is damaged."""
    cdef const uint8_t* p = scan.data + at
    cdef size_t end
    if at + HEADER > scan.size:
        return -1
    if is_zero(p, p + HEADER):
        return -1 if scan.at_end and is_zero(p, scan.data + scan.size) else <int64_t>at
    if not is_whole(scan, at, left):
        return at
    end = at + HEADER + length_at(scan, at)
    if end > scan.size:
        return -1
    if mi_likely(checksum_holds(scan, at, end)):
        return end
    return -1 if scan.at_end and end == scan.size and scan.data[end - 1] == 0 else <int64_t>at


cdef int64_t behind_damage(Scan* scan, size_t at, size_t left) noexcept nogil:
    """Where to go on behind a damaged chunk; negative when that has to wait for more bytes."""
    cdef size_t place, end
    cdef int64_t budget = SEARCHED
    if is_whole(scan, at, left):
        place = at + HEADER + length_at(scan, at)
        if left - (place - at) < HEADER or holds(scan, place):
            return place
    end = at + left
    if end > scan.size and not scan.at_end:
        return -1
    place = at + 1
    while place + HEADER <= end and place + HEADER <= scan.size and budget > 0:
        if is_whole(scan, place, end - place):
            budget -= HEADER + <int64_t>length_at(scan, place)
            if holds(scan, place):
                return place
        place += 1
    return end if end <= scan.size else -1


cdef size_t read_chunks(Scan* scan) noexcept nogil:
    """Read whole records; gives how many bytes are done with."""
    cdef size_t at = 0
    cdef size_t consumed = 0
    cdef size_t left
    cdef size_t begin = 0  # of the record that the last chunk belongs to
    cdef bint is_inside = False
    cdef int64_t end
    cdef int kind, cause
    while True:
        left = left_of(scan, at)
        if left < HEADER:
            if at + left > scan.size:
                return consumed
            at += left
            if not is_inside and scan.damaged:
                consumed = at
            continue
        end = chunk_end(scan, at, left)
        if end < 0:
            return consumed
        if end == <int64_t>at:
            cause = PAYLOAD_CHECKSUM if is_whole(scan, at, left) else ABSURD_LENGTH
            if not damaged_at(scan, begin if is_inside else at, cause):
                break
            is_inside = False
            consumed = at
            end = behind_damage(scan, at, left)
            if end < 0:
                return consumed
            at = consumed = end
            continue
        kind = scan.data[at + 6]
        if is_inside and (kind == FULL or kind == FIRST):
            if not damaged_at(scan, begin, PAYLOAD_CHECKSUM):  # which has no end
                break
            is_inside = False
        if kind == FULL or kind == FIRST:
            begin = at
            scan.record.size = 0
        elif not is_inside and not damaged_at(scan, at, PAYLOAD_CHECKSUM):  # a record without a beginning
            break
        if kind == FULL:
            if not take_record(scan, begin, scan.data + at + HEADER, scan.data + end):
                break
            consumed = end
        elif kind == FIRST or is_inside:
            is_inside = True
            if not append(&scan.record, scan.data + at + HEADER, end - at - HEADER):
                break
            if kind == LAST:
                is_inside = False
                if not take_record(scan, begin, scan.record.at, scan.record.at + scan.record.size):
                    break
                consumed = end
        at = end
        if not is_inside and scan.damaged:
            consumed = at
    scan.short_of_memory = True
    return consumed


cdef bint take_record(Scan* scan, size_t at, const uint8_t* begin, const uint8_t* end) noexcept nogil:
    cdef int status = read_record(scan, begin, end)
    if mi_likely(status == FINE):
        intact_at(scan, at)
        return True
    return status != NO_MEMORY and damaged_at(scan, at, UNPARSABLE)
