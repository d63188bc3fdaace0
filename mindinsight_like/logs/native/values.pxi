# Points, blobs and damage as they are found. Included by _scan.pyx.

cdef inline int keep_point(
    Scan* scan, const uint8_t* tag, size_t size, int64_t step, double wall, double value
) noexcept nogil:
    cdef Point* point
    cdef uint32_t number
    if not mi_likely(scan.point_count < scan.point_room):
        if not grow(<void**>&scan.points, &scan.point_room, scan.point_count + 1, sizeof(Point)):
            return NO_MEMORY
    if not number_of(scan, SCALAR, tag, size, &number):
        return NO_MEMORY
    point = &scan.points[scan.point_count]
    point.step = step
    point.wall = wall
    point.value = value
    point.number = number
    scan.point_count += 1
    return FINE


cdef int keep_blob(
    Scan* scan,
    uint32_t kind,
    const uint8_t* tag,
    size_t size,
    int64_t step,
    double wall,
    const uint8_t* begin,
    const uint8_t* end,
) noexcept nogil:
    cdef Blob* blob
    cdef uint32_t number
    if scan.blob_count == scan.blob_room:
        if not grow(<void**>&scan.blobs, &scan.blob_room, scan.blob_count + 1, sizeof(Blob)):
            return NO_MEMORY
    if not number_of(scan, kind, tag, size, &number):
        return NO_MEMORY
    blob = &scan.blobs[scan.blob_count]
    blob.step = step
    blob.wall = wall
    blob.offset = scan.offset + (begin - scan.data)
    blob.length = end - begin
    blob.points = scan.point_count
    blob.number = number
    scan.blob_count += 1
    return FINE


cdef inline int keep_named(
    Scan* scan, uint32_t kind, const char* tag, size_t size, int64_t step, double wall, Field* place
) noexcept nogil:
    return keep_blob(scan, kind, <const uint8_t*>tag, size, step, wall, place.begin, place.end)


cdef bint damaged_at(Scan* scan, const uint8_t* position, int cause) noexcept nogil:
    """Warn of damage, once until an intact record ends the region; False when memory is short."""
    cdef Region* region
    if scan.damaged:
        return True
    if scan.region_count == scan.region_room:
        if not grow(<void**>&scan.regions, &scan.region_room, scan.region_count + 1, sizeof(Region)):
            return False
    region = &scan.regions[scan.region_count]
    region.offset = scan.offset + (position - scan.data)
    region.cause = cause
    region.skipped = -1
    scan.region_count += 1
    scan.damaged = scan.warned_here = True
    return True


cdef inline void intact_at(Scan* scan, const uint8_t* position) noexcept nogil:
    cdef Region* region
    if scan.warned_here:
        region = &scan.regions[scan.region_count - 1]
        region.skipped = scan.offset + (position - scan.data) - region.offset
    scan.warned_here = scan.damaged = False
