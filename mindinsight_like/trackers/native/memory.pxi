# What a scan has found so far, in memory that grows. Included by _records.pyx.

cdef struct Bytes:
    uint8_t* at
    size_t size, room

cdef struct Key:
    size_t at  # in `names`
    uint32_t size
    uint32_t hash
    uint32_t successor  # the key that followed this one last time

cdef struct Keys:
    Key* keys
    size_t count, room
    Bytes names
    uint32_t* slots  # number + 1, or 0: an open hash table
    size_t slot_count
    uint32_t last

cdef struct Value:  # of the summary, by the number of its key
    size_t at  # in `values`
    size_t size, room

cdef struct Point:
    int64_t number, step
    double wall, value

cdef struct Record:  # that is left to Python
    uint32_t id
    size_t at  # in `kept`
    size_t size
    int64_t step
    double wall

cdef struct Damaged:
    int64_t offset, skipped
    int cause

cdef struct Item:
    size_t key  # in `joined` if it has parts
    const uint8_t* single  # the key, if it has none
    size_t key_size
    const uint8_t* begin  # of the value
    const uint8_t* end
    bint is_own
    bint is_nested

cdef struct Scan:
    int64_t offset
    int layout
    bint at_end, damaged, warned_here, short_of_memory
    const uint8_t* data
    size_t size
    int64_t step, samples
    Keys tags
    Point* points
    size_t point_count, point_room
    Keys summary
    Value* values
    size_t value_room
    Bytes texts  # of the summary
    Bytes kept
    Record* records
    size_t record_count, record_room
    Bytes lines
    double* times
    size_t time_count, time_room
    Bytes streams[2]  # the line that each has begun
    Damaged* regions
    size_t region_count, region_room
    Bytes record  # put together from chunks
    Bytes joined  # nested keys of the present record
    Item* items  # of the present record
    size_t item_count, item_room
    uint32_t* objects  # number of an item + 1, or 0: a hash table of keys that end with the type
    size_t object_room, object_mask
    Bytes tag  # that is put together


cdef bint grow(void** memory, size_t* room, size_t needed, size_t item) noexcept nogil:
    """Make room for `needed` items; False when memory is short."""
    cdef size_t wider = room[0] * 2 if room[0] else 64
    cdef void* moved
    if needed <= room[0]:
        return True
    if wider < needed:
        wider = needed
    moved = realloc(memory[0], wider * item)
    if moved == NULL:
        return False
    memory[0] = moved
    room[0] = wider
    return True


cdef inline bint append(Bytes* to, const uint8_t* begin, size_t size) noexcept nogil:
    if not grow(<void**>&to.at, &to.room, to.size + size, 1):
        return False
    if size:
        memcpy(to.at + to.size, begin, size)
    to.size += size
    return True


cdef inline uint32_t hash_of(const uint8_t* key, size_t size) noexcept nogil:
    cdef uint64_t mixed = <uint64_t>size * <uint64_t>0x9E3779B97F4A7C15
    while size >= 8:
        mixed = (mixed ^ mi_load64(key)) * <uint64_t>0x9E3779B97F4A7C15
        mixed ^= mixed >> 32
        key += 8
        size -= 8
    while size:
        mixed = (mixed ^ key[0]) * <uint64_t>0x9E3779B97F4A7C15
        mixed ^= mixed >> 32
        key += 1
        size -= 1
    return <uint32_t>(mixed * <uint64_t>0xD6E8FEB86659FD93 >> 32)


cdef inline bint is_key(Keys* keys, uint32_t number, const uint8_t* key, size_t size) noexcept nogil:
    return keys.keys[number].size == size and memcmp(keys.names.at + keys.keys[number].at, key, size) == 0


cdef void place_key(Keys* keys, uint32_t number) noexcept nogil:
    cdef size_t slot = keys.keys[number].hash & (keys.slot_count - 1)
    while keys.slots[slot]:
        slot = (slot + 1) & (keys.slot_count - 1)
    keys.slots[slot] = number + 1


cdef bint add_key(Keys* keys, const uint8_t* key, size_t size, uint32_t mixed) noexcept nogil:
    """Number a new key; False when memory is short."""
    cdef Key* added
    cdef void* moved
    cdef size_t slots, number
    if not grow(<void**>&keys.keys, &keys.room, keys.count + 1, sizeof(Key)):
        return False
    added = &keys.keys[keys.count]
    added.at = keys.names.size
    added.size = <uint32_t>size
    added.hash = mixed
    added.successor = 0
    if not append(&keys.names, key, size):
        return False
    keys.count += 1
    if keys.count * 2 > keys.slot_count:
        slots = keys.slot_count * 2 if keys.slot_count else 64
        moved = realloc(keys.slots, slots * sizeof(uint32_t))
        if moved == NULL:
            keys.count -= 1
            return False
        keys.slots = <uint32_t*>moved
        keys.slot_count = slots
        memset(keys.slots, 0, slots * sizeof(uint32_t))
        for number in range(keys.count):
            place_key(keys, <uint32_t>number)
    else:
        place_key(keys, <uint32_t>(keys.count - 1))
    return True


cdef inline bint number_of(Keys* keys, const uint8_t* key, size_t size, uint32_t* found) noexcept nogil:
    """The number of a key, a new one when it must be; False when memory is short.

    The same keys follow each other again and again, so the guess is nearly always right.
    """
    cdef uint32_t guess, mixed
    cdef size_t slot
    if keys.last < keys.count:
        guess = keys.keys[keys.last].successor
        if is_key(keys, guess, key, size):
            keys.last = guess
            found[0] = guess
            return True
    mixed = hash_of(key, size)
    found[0] = <uint32_t>keys.count
    if keys.slot_count:
        slot = mixed & (keys.slot_count - 1)
        while keys.slots[slot]:
            guess = keys.slots[slot] - 1
            if keys.keys[guess].hash == mixed and is_key(keys, guess, key, size):
                found[0] = guess
                break
            slot = (slot + 1) & (keys.slot_count - 1)
    if found[0] == keys.count and not add_key(keys, key, size, mixed):
        return False
    if keys.last < keys.count:
        keys.keys[keys.last].successor = found[0]
    keys.last = found[0]
    return True


cdef void release(Keys* keys) noexcept nogil:
    free(keys.keys)
    free(keys.names.at)
    free(keys.slots)
