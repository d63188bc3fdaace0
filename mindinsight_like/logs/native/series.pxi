# Series by kind and tag: a hash table with a guess, as they tend to follow each other in one order. Included by _scan.pyx.

cdef inline uint32_t hash_of(uint32_t kind, const uint8_t* tag, size_t size) noexcept nogil:
    cdef uint64_t mixed = <uint64_t>size * <uint64_t>0x9E3779B97F4A7C15
    while size >= 8:
        mixed = (mixed ^ mi_load64(tag)) * <uint64_t>0x9E3779B97F4A7C15
        mixed ^= mixed >> 32
        tag += 8
        size -= 8
    while size:
        mixed = (mixed ^ tag[0]) * <uint64_t>0x9E3779B97F4A7C15
        mixed ^= mixed >> 32
        tag += 1
        size -= 1
    mixed = (mixed ^ kind) * <uint64_t>0xD6E8FEB86659FD93
    return <uint32_t>(mixed >> 32)


cdef inline bint is_key(Scan* scan, uint32_t number, uint32_t kind, const uint8_t* tag, size_t size) noexcept nogil:
    cdef Key* key = &scan.keys[number]
    cdef const uint8_t* name = scan.names + key.at
    return key.size == size + 1 and name[0] == kind and memcmp(name + 1, tag, size) == 0


cdef int64_t find_key(Scan* scan, uint32_t kind, const uint8_t* tag, size_t size, uint32_t mixed) noexcept nogil:
    """The number of a series, or -1."""
    cdef size_t slot
    cdef uint32_t number
    if scan.slot_count == 0:
        return -1
    slot = mixed & (scan.slot_count - 1)
    while scan.slots[slot]:
        number = scan.slots[slot] - 1
        if scan.keys[number].hash == mixed and is_key(scan, number, kind, tag, size):
            return number
        slot = (slot + 1) & (scan.slot_count - 1)
    return -1


cdef void place_key(Scan* scan, uint32_t number) noexcept nogil:
    cdef size_t slot = scan.keys[number].hash & (scan.slot_count - 1)
    while scan.slots[slot]:
        slot = (slot + 1) & (scan.slot_count - 1)
    scan.slots[slot] = number + 1


cdef void place_all_keys(Scan* scan) noexcept nogil:
    cdef size_t number
    memset(scan.slots, 0, scan.slot_count * sizeof(uint32_t))
    for number in range(scan.key_count):
        place_key(scan, <uint32_t>number)


cdef bint add_key(Scan* scan, uint32_t kind, const uint8_t* tag, size_t size, uint32_t mixed) noexcept nogil:
    """Number a new series; False when memory is short."""
    cdef Key* key
    cdef size_t slots
    cdef void* moved
    if scan.key_count == scan.key_room:
        if not grow(<void**>&scan.keys, &scan.key_room, scan.key_count + 1, sizeof(Key)):
            return False
    if scan.names_room - scan.names_size < size + 1:
        if not grow(<void**>&scan.names, &scan.names_room, scan.names_size + size + 1, 1):
            return False
    key = &scan.keys[scan.key_count]
    key.at = scan.names_size
    key.size = <uint32_t>(size + 1)
    key.hash = mixed
    key.successor = 0
    scan.names[scan.names_size] = <uint8_t>kind
    memcpy(scan.names + scan.names_size + 1, tag, size)
    scan.names_size += size + 1
    scan.key_count += 1
    if scan.key_count * 2 > scan.slot_count:
        slots = scan.slot_count * 2 if scan.slot_count else 64
        moved = realloc(scan.slots, slots * sizeof(uint32_t))
        if moved == NULL:
            scan.key_count -= 1
            return False
        scan.slots = <uint32_t*>moved
        scan.slot_count = slots
        place_all_keys(scan)
    else:
        place_key(scan, <uint32_t>(scan.key_count - 1))
    return True


cdef inline bint number_of(Scan* scan, uint32_t kind, const uint8_t* tag, size_t size, uint32_t* found) noexcept nogil:
    """The series of a value, a new one when it must be; False when memory is short.

    Writers log the same tags in the same order again and again, so the guess is nearly always right.
    """
    cdef uint32_t guess, mixed
    cdef int64_t known
    if scan.last < scan.key_count:
        guess = scan.keys[scan.last].successor
        if guess < scan.key_count and is_key(scan, guess, kind, tag, size):
            scan.last = guess
            found[0] = guess
            return True
    mixed = hash_of(kind, tag, size)
    known = find_key(scan, kind, tag, size, mixed)
    if known < 0:
        known = <int64_t>scan.key_count
        if not add_key(scan, kind, tag, size, mixed):
            return False
    if scan.last < scan.key_count:
        scan.keys[scan.last].successor = <uint32_t>known
    scan.last = <uint32_t>known
    found[0] = <uint32_t>known
    return True


cdef uint32_t kind_before(Scan* scan, const uint8_t* tag, size_t size) noexcept nogil:
    """The kind of the first series with this tag, TENSOR when there is none."""
    cdef int64_t first = -1
    cdef int64_t known
    cdef uint32_t kind
    cdef uint32_t answer = TENSOR
    for kind in range(<uint32_t>KINDS):
        known = find_key(scan, kind, tag, size, hash_of(kind, tag, size))
        if known >= 0 and (first < 0 or known < first):
            first = known
            answer = kind
    return answer
