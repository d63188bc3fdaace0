# What a scanner has found so far, in memory that grows. Included by _scan.pyx.

cdef struct Key:
    size_t at  # in `names`: kind, tag
    uint32_t size
    uint32_t hash
    uint32_t successor  # the series that followed this one last time

cdef struct Point:
    int64_t step
    double wall
    double value
    uint32_t number

cdef struct Blob:
    int64_t step
    double wall
    int64_t offset
    int64_t length
    size_t points  # found before it
    uint32_t number

cdef struct Region:
    int64_t offset
    int64_t skipped
    int cause

cdef struct Scan:
    int64_t offset
    uint64_t wanted
    bint damaged
    bint warned_here
    const uint8_t* data  # of the present feed
    uint32_t last  # the series of the last value
    Key* keys
    size_t key_count, key_room
    uint8_t* names
    size_t names_size, names_room
    uint32_t* slots  # number + 1, or 0: an open hash table over kind and tag
    size_t slot_count
    uint8_t* scratch
    size_t scratch_room
    Point* points
    size_t point_count, point_room
    Blob* blobs
    size_t blob_count, blob_room
    Region* regions
    size_t region_count, region_room

cdef struct Field:
    uint32_t id
    uint32_t wire
    uint64_t number
    const uint8_t* begin
    const uint8_t* end


cdef bint grow(void** memory, size_t* room, size_t needed, size_t item) noexcept nogil:
    """Make room for `needed` items; False when memory is short."""
    cdef size_t wider = room[0] * 2 if room[0] else 64
    cdef void* moved
    if wider < needed:
        wider = needed
    moved = realloc(memory[0], wider * item)
    if moved == NULL:
        return False
    memory[0] = moved
    room[0] = wider
    return True
