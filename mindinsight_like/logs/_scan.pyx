# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native twin of `scan_twin`: the same records, points, blobs and damage from the same bytes, many times faster.

Read the twin first, it says what is done and why; names are the same here. One record is read without any Python
object, the loop of `feed` runs without the interpreter's lock, and only `take` makes arrays.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>

    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define MI_LITTLE16(x) __builtin_bswap16(x)
    #define MI_LITTLE32(x) __builtin_bswap32(x)
    #define MI_LITTLE64(x) __builtin_bswap64(x)
    #else
    #define MI_LITTLE16(x) (x)
    #define MI_LITTLE32(x) (x)
    #define MI_LITTLE64(x) (x)
    #endif

    static inline uint16_t mi_load16(const uint8_t *p) { uint16_t x; memcpy(&x, p, 2); return MI_LITTLE16(x); }
    static inline uint32_t mi_load32(const uint8_t *p) { uint32_t x; memcpy(&x, p, 4); return MI_LITTLE32(x); }
    static inline uint64_t mi_load64(const uint8_t *p) { uint64_t x; memcpy(&x, p, 8); return MI_LITTLE64(x); }
    static inline float mi_single(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
    static inline double mi_double(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }

    static uint32_t mi_crc_table[256];

    static void mi_crc_prepare(void) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t crc = byte;
            for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
            mi_crc_table[byte] = crc;
        }
    }

    static uint32_t mi_crc_plain(const uint8_t *p, size_t n) {
        uint32_t crc = 0xFFFFFFFFu;
        while (n--) crc = mi_crc_table[(crc ^ *p++) & 255] ^ crc >> 8;
        return ~crc;
    }

    #if defined(__x86_64__) && defined(__GNUC__)
    #include <nmmintrin.h>
    __attribute__((target("sse4.2"))) static uint32_t mi_crc_fast(const uint8_t *p, size_t n) {
        uint64_t crc = 0xFFFFFFFFu;
        for (; n >= 8; n -= 8, p += 8) crc = _mm_crc32_u64(crc, mi_load64(p));
        if (n & 4) { crc = _mm_crc32_u32((uint32_t)crc, mi_load32(p)); p += 4; }
        if (n & 2) { crc = _mm_crc32_u16((uint32_t)crc, mi_load16(p)); p += 2; }
        if (n & 1) crc = _mm_crc32_u8((uint32_t)crc, *p);
        return ~(uint32_t)crc;
    }
    static int mi_crc_has_fast(void) { return __builtin_cpu_supports("sse4.2"); }
    #elif defined(__aarch64__) && defined(__GNUC__) && (defined(__linux__) || defined(__APPLE__))
    #ifdef __linux__
    #include <sys/auxv.h>
    #endif
    /* Spelt out, because compilers disagree on when their headers offer these instructions. */
    #define MI_CRC(name, form) ".arch_extension crc\\n" name " %w0, %w0, %" form "1"
    #define MI_CRC_STEP(name, form, crc, x) __asm__(MI_CRC(name, form) : "+r"(crc) : "r"(x))
    static uint32_t mi_crc_fast(const uint8_t *p, size_t n) {
        uint32_t crc = 0xFFFFFFFFu;
        for (; n >= 8; n -= 8, p += 8) MI_CRC_STEP("crc32cx", "x", crc, mi_load64(p));
        if (n & 4) { MI_CRC_STEP("crc32cw", "w", crc, mi_load32(p)); p += 4; }
        if (n & 2) { MI_CRC_STEP("crc32ch", "w", crc, (uint32_t)mi_load16(p)); p += 2; }
        if (n & 1) MI_CRC_STEP("crc32cb", "w", crc, (uint32_t)*p);
        return ~crc;
    }
    #ifdef __linux__
    static int mi_crc_has_fast(void) { return (getauxval(AT_HWCAP) >> 7) & 1; }  /* HWCAP_CRC32 */
    #else
    static int mi_crc_has_fast(void) { return 1; }
    #endif
    #else
    #define mi_crc_fast mi_crc_plain
    static int mi_crc_has_fast(void) { return 0; }
    #endif

    static int mi_crc_is_fast = 0;

    static inline uint32_t mi_masked_crc(const uint8_t *p, size_t n) {
        uint32_t crc = mi_crc_is_fast ? mi_crc_fast(p, n) : mi_crc_plain(p, n);
        return (crc >> 15 | crc << 17) + 0xA282EAD8u;
    }

    #ifdef __GNUC__
    #define mi_likely(x) __builtin_expect(!!(x), 1)
    #else
    #define mi_likely(x) (x)
    #endif
    """
    uint16_t mi_load16(const uint8_t* p) noexcept nogil
    uint32_t mi_load32(const uint8_t* p) noexcept nogil
    uint64_t mi_load64(const uint8_t* p) noexcept nogil
    float mi_single(uint32_t bits) noexcept nogil
    double mi_double(uint64_t bits) noexcept nogil
    void mi_crc_prepare()
    bint mi_crc_has_fast()
    bint mi_crc_is_fast
    uint32_t mi_masked_crc(const uint8_t* p, size_t n) noexcept nogil
    bint mi_likely(bint x) noexcept nogil

mi_crc_prepare()
mi_crc_is_fast = mi_crc_has_fast()

cdef enum:  # kinds.Kind
    SCALAR, IMAGE, HISTOGRAM, TEXT, AUDIO, VIDEO, TENSOR, GRAPH, EMBEDDING, PR_CURVE, ROC_CURVE, MESH, LANDSCAPE
    HPARAMS, CUSTOM_SCALARS, LINEAGE, RUN_METADATA, META, SESSION, EXPLAIN, KINDS
    AS_BEFORE = 255  # the kind of the tag's first series
    NO_KIND = 254

cdef enum:  # kinds.Dialect
    TENSORBOARD, MINDSPORE, MINDSPORE_LINEAGE, VISUALDL, VISUALDL_LEGACY, DIALECTS

cdef enum:  # wire types
    VARINT = 0
    FIXED64 = 1
    BYTES = 2
    FIXED32 = 5

cdef enum:  # indexes of batch.DAMAGE_KINDS
    LENGTH_CHECKSUM, PAYLOAD_CHECKSUM, ABSURD_LENGTH, UNPARSABLE

cdef enum:  # what reading a record comes to
    MALFORMED = 0
    FINE = 1
    NO_MEMORY = 2

cdef enum:
    HEADER = 12
    FRAME = 16
    PREFIX = 8
    JUDGED = 14
    BLOCK_POINTS = 1024
    KEPT_POINTS = 65536  # room that `take` keeps for the next batch

cdef uint32_t NOWHERE = 0xFFFFFFFF
cdef uint64_t MAX_LENGTH = (<uint64_t>1 << 31) - FRAME - HEADER
cdef int64_t MILLISECONDS_FROM = 100000000000
cdef double INFINITE = float("inf")
cdef double NOT_A_NUMBER = float("nan")

MAX_RECORD = 2**31


# ---- State ----

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


# ---- Series ----

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


# ---- What was found ----

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


# ---- Protobuf ----

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


# ---- TensorBoard ----

cdef double half(uint32_t bits) noexcept nogil:
    """The value of an IEEE half float."""
    cdef uint32_t exponent = bits >> 10 & 0x1F
    cdef uint32_t fraction = bits & 0x3FF
    cdef double value
    cdef int power
    if exponent == 0x1F:
        value = NOT_A_NUMBER if fraction else INFINITE
    elif exponent:
        value = 1.0 + fraction / 1024.0
        power = <int>exponent - 15
        while power > 0:
            value *= 2.0
            power -= 1
        while power < 0:
            value *= 0.5
            power += 1
    else:
        value = fraction / 16777216.0
    return -value if bits & 0x8000 else value


cdef bint number_in_content(uint64_t dtype, const uint8_t* p, size_t size, double* value) noexcept nogil:
    """The single number in `tensor_content`; False when it is not exactly one."""
    if dtype == 1 and size == 4:
        value[0] = single_at(p)
    elif dtype == 2 and size == 8:
        value[0] = double_at(p)
    elif dtype == 3 and size == 4:
        value[0] = <double><int32_t>mi_load32(p)
    elif dtype == 4 and size == 1:
        value[0] = <double>p[0]
    elif dtype == 5 and size == 2:
        value[0] = <double><short>mi_load16(p)
    elif dtype == 6 and size == 1:
        value[0] = <double><signed char>p[0]
    elif dtype == 9 and size == 8:
        value[0] = <double><int64_t>mi_load64(p)
    elif dtype == 10 and size == 1:
        value[0] = 1.0 if p[0] else 0.0
    elif dtype == 14 and size == 2:
        value[0] = <double>mi_single(<uint32_t>mi_load16(p) << 16)
    elif dtype == 17 and size == 2:
        value[0] = <double>mi_load16(p)
    elif dtype == 19 and size == 2:
        value[0] = half(mi_load16(p))
    elif dtype == 22 and size == 4:
        value[0] = <double>mi_load32(p)
    elif dtype == 23 and size == 8:
        value[0] = <double>mi_load64(p)
    else:
        return False
    return True


cdef uint32_t list_field(uint64_t dtype) noexcept nogil:
    """The field in which a tensor lists values of this type, 0 for types that are no numbers."""
    if dtype == 1:
        return 5
    if dtype == 2:
        return 6
    if dtype == 3 or dtype == 4 or dtype == 5 or dtype == 6 or dtype == 17:
        return 7
    if dtype == 9:
        return 10
    if dtype == 10:
        return 11
    if dtype == 14 or dtype == 19:
        return 13
    if dtype == 22:
        return 16
    if dtype == 23:
        return 17
    return 0


cdef double listed_integer(uint64_t dtype, uint64_t number) noexcept nogil:
    if dtype == 9:
        return <double><int64_t>number
    if dtype == 10:
        return 1.0 if number else 0.0
    if dtype == 14:
        return <double>mi_single(<uint32_t>(number & 0xFFFF) << 16)
    if dtype == 19:
        return half(<uint32_t>(number & 0xFFFF))
    if dtype == 22:
        return <double><uint32_t>number
    if dtype == 23:
        return <double>number
    return <double><int32_t><uint32_t>number


cdef int listed_number(Field* tensor, uint64_t dtype, bint* is_number, double* value) noexcept nogil:
    """The single number that a tensor lists; no entry means zero."""
    cdef Field field
    cdef const uint8_t* p = tensor.begin
    cdef const uint8_t* q
    cdef uint32_t wanted = list_field(dtype)
    cdef uint64_t number
    cdef size_t count = 0
    cdef size_t size = 4 if wanted == 5 else 8
    cdef uint32_t wire = FIXED32 if wanted == 5 else FIXED64 if wanted == 6 else VARINT
    value[0] = 0.0
    while p < tensor.end:
        p = next_field(p, tensor.end, &field)
        if p == NULL:
            return MALFORMED
        if field.id != wanted or (field.wire != wire and field.wire != BYTES):
            continue
        if wire != VARINT:
            if <size_t>(field.end - field.begin) % size:
                return MALFORMED
            if field.end > field.begin:
                value[0] = single_at(field.begin) if wanted == 5 else double_at(field.begin)
            count += <size_t>(field.end - field.begin) // size
        elif field.wire == VARINT:
            value[0] = listed_integer(dtype, field.number)
            count += 1
        else:
            q = field.begin
            while q < field.end:
                q = varint(q, field.end, &number)
                if q == NULL:
                    return MALFORMED
                value[0] = listed_integer(dtype, number)
                count += 1
    is_number[0] = count <= 1
    return FINE


cdef int one_element(Field* shape, bint* one) noexcept nogil:
    """Clears `one` when the shape has not exactly one element."""
    cdef Field field
    cdef Field part
    cdef const uint8_t* p = shape.begin
    cdef const uint8_t* q
    cdef uint64_t size
    while p < shape.end:
        p = next_field(p, shape.end, &field)
        if p == NULL:
            return MALFORMED
        if field.id == 2 and field.wire == BYTES:
            size = 0
            q = field.begin
            while q < field.end:
                q = next_field(q, field.end, &part)
                if q == NULL:
                    return MALFORMED
                if part.id == 1 and part.wire == VARINT:
                    size = part.number
            if size != 1:
                one[0] = False
        elif field.id == 3 and field.wire == VARINT and field.number:
            one[0] = False
    return FINE


cdef int tensor_number(Field* tensor, bint* is_number, double* value) noexcept nogil:
    """The number in a tensor of one numeric element; clears `is_number` for any other tensor."""
    cdef Field field
    cdef const uint8_t* p = tensor.begin
    cdef const uint8_t* content = NULL
    cdef size_t size = 0
    cdef uint64_t dtype = 0
    cdef bint one = True
    while p < tensor.end:
        p = next_field(p, tensor.end, &field)
        if p == NULL:
            return MALFORMED
        if field.id == 1 and field.wire == VARINT:
            dtype = field.number
        elif field.id == 2 and field.wire == BYTES:
            if field.end > field.begin and one_element(&field, &one) == MALFORMED:
                return MALFORMED
        elif field.id == 4 and field.wire == BYTES:
            content = field.begin
            size = <size_t>(field.end - field.begin)
    is_number[0] = False
    if not one or list_field(dtype) == 0:
        return FINE
    if size:
        is_number[0] = number_in_content(dtype, content, size, value)
        return FINE
    return listed_number(tensor, dtype, is_number, value)


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
    if data_class == 1:
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
        if field.id == 1 and field.wire == BYTES:
            name = bytes_of(&field, 1, &stop)
            if name == NULL:
                return MALFORMED
        elif field.id == 4 and field.wire == VARINT:
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
            if field.id == 1:
                tag = field.begin
                size = <size_t>(field.end - field.begin)
            elif field.id == 9:
                if read_metadata(&field, &plugin) == MALFORMED:
                    return MALFORMED
            elif 3 <= field.id <= 8 and field.id != 7:
                chosen = field
        elif field.id == 2 and field.wire == FIXED32:
            chosen = field
    if mi_likely(chosen.id == 2):
        return keep_point(scan, tag, size, step, wall, single_at(chosen.begin))
    if chosen.id == 8:
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
    elif chosen.id == 4:
        picture = bytes_of(&chosen, 4, &stop)
        if picture == NULL:
            return MALFORMED
        kind = VIDEO if stop - picture >= 4 and memcmp(picture, b"GIF8", 4) == 0 else IMAGE
    elif chosen.id == 5:
        kind = HISTOGRAM
    elif chosen.id == 6:
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
        if field.id == 1 and field.wire == VARINT:
            status = field.number
    if status == 1:
        return keep_named(scan, SESSION, b"start", 5, step, wall, message)
    if status == 2:
        return keep_named(scan, SESSION, b"stop", 4, step, wall, message)
    if status == 3:
        return keep_named(scan, SESSION, b"checkpoint", 10, step, wall, message)
    return FINE


cdef inline int read_tensorboard_part(Scan* scan, Field* part, int64_t step, double wall) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p
    cdef const uint8_t* stop
    cdef int status
    if mi_likely(part.id == 5):
        p = part.begin
        while p < part.end:
            p = next_field(p, part.end, &field)
            if p == NULL:
                return MALFORMED
            if field.id == 1 and field.wire == BYTES:
                status = read_tensorboard_value(scan, &field, step, wall)
                if status != FINE:
                    return status
        return FINE
    if part.id == 4:
        return keep_named(scan, GRAPH, b"graph", 5, step, wall, part)
    if part.id == 9:
        return keep_named(scan, GRAPH, b"meta_graph", 10, step, wall, part)
    if part.id == 7:
        return read_session(scan, part, step, wall)
    if part.id == 8:
        p = bytes_of(part, 1, &stop)
        if p == NULL:
            return MALFORMED
        return keep_blob(scan, RUN_METADATA, p, <size_t>(stop - p), step, wall, part.begin, part.end)
    return FINE


# ---- MindSpore ----

cdef inline int read_mindspore_value(Scan* scan, Field* message, int64_t step, double wall) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p = message.begin
    cdef const uint8_t* tag = p
    cdef size_t size = 0
    cdef uint32_t kind = NO_KIND
    cdef double value = 0.0
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL:
            return MALFORMED
        if field.wire == BYTES:
            if field.id == 1:
                tag = field.begin
                size = <size_t>(field.end - field.begin)
            elif field.id == 4:
                kind = IMAGE
            elif field.id == 8:
                kind = TENSOR
            elif field.id == 9:
                kind = HISTOGRAM
            elif field.id == 10:
                kind = LANDSCAPE
        elif field.id == 3 and field.wire == FIXED32:
            kind = SCALAR
            value = single_at(field.begin)
    if mi_likely(kind == SCALAR):
        return keep_point(scan, tag, size, step, wall, value)
    if kind == NO_KIND:
        return FINE
    return keep_blob(scan, kind, tag, size, step, wall, message.begin, message.end)


cdef inline int read_mindspore_part(Scan* scan, Field* part, int64_t step, double wall) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p
    cdef int status
    if mi_likely(part.id == 5):
        p = part.begin
        while p < part.end:
            p = next_field(p, part.end, &field)
            if p == NULL:
                return MALFORMED
            if field.id == 1 and field.wire == BYTES:
                status = read_mindspore_value(scan, &field, step, wall)
                if status != FINE:
                    return status
        return FINE
    if part.id == 4:
        return keep_named(scan, GRAPH, b"graph", 5, step, wall, part)
    if part.id == 6:
        return keep_named(scan, EXPLAIN, b"explain", 7, step, wall, part)
    return FINE


cdef int read_lineage_part(Scan* scan, uint32_t id, Field* event, int64_t step, double wall) noexcept nogil:
    if id == 6:
        return keep_named(scan, LINEAGE, b"train", 5, step, wall, event)
    if id == 7:
        return keep_named(scan, LINEAGE, b"evaluation", 10, step, wall, event)
    if id == 9:
        return keep_named(scan, LINEAGE, b"dataset_graph", 13, step, wall, event)
    if id == 10:
        return keep_named(scan, LINEAGE, b"user_defined", 12, step, wall, event)
    return FINE


cdef inline int read_event(Scan* scan, uint32_t dialect, const uint8_t* begin, const uint8_t* end) noexcept nogil:
    """Read an event of TensorBoard or MindSpore; they differ in what stands beside time and step."""
    cdef Field field
    cdef Field event
    cdef const uint8_t* p = begin
    cdef const uint8_t* first = end
    cdef double wall = 0.0
    cdef int64_t step = 0
    cdef int status = FINE
    while p < end:
        # Time and step may stand behind the values, so look for them first.
        if p[0] >> 3 > 2 and first == end:
            first = p
        p = next_field(p, end, &field)
        if p == NULL:
            return MALFORMED
        if field.id == 1 and field.wire == FIXED64:
            wall = double_at(field.begin)
        elif field.id == 2 and field.wire == VARINT:
            step = <int64_t>field.number
    event.begin = begin
    event.end = end
    p = first
    while p < end:
        p = next_field(p, end, &field)
        if field.wire != BYTES:
            continue
        if dialect == TENSORBOARD:
            status = read_tensorboard_part(scan, &field, step, wall)
        elif dialect == MINDSPORE:
            status = read_mindspore_part(scan, &field, step, wall)
        else:
            status = read_lineage_part(scan, field.id, &event, step, wall)
        if status != FINE:
            return status
    return FINE


# ---- VisualDL ----

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
        if field.id == 1:
            if field.wire != VARINT:
                return MALFORMED
            step = <int64_t>field.number
        elif field.id == 2:
            if field.wire != BYTES:
                return MALFORMED
            tag = field.begin
            size = <size_t>(field.end - field.begin)
        elif field.id == 3:
            if field.wire != VARINT:
                return MALFORMED
            wall = seconds(<int64_t>field.number)
        else:
            if field.id == 4:
                if field.wire != FIXED32:
                    return MALFORMED
            elif field.id <= 14 and field.wire != BYTES:
                return MALFORMED
            chosen = field
    if size == 0 or chosen.id == 0:
        return MALFORMED
    if mi_likely(chosen.id == 4):
        return keep_point(scan, tag, size, step, wall, single_at(chosen.begin)) if keep else FINE
    if chosen.id == 14:
        p = chosen.begin
        while p < chosen.end:
            p = next_field(p, chosen.end, &field)
            if p == NULL:
                return MALFORMED
            if field.id == 1 and field.wire == BYTES:
                sub = field.begin
                sub_size = <size_t>(field.end - field.begin)
            elif field.id == 2 and field.wire == FIXED32:
                value = single_at(field.begin)
        return keep_grouped_point(scan, tag, size, sub, sub_size, step, wall, value) if keep else FINE
    if chosen.id == 5:
        kind = IMAGE
    elif chosen.id == 6:
        kind = AUDIO
    elif chosen.id == 7:
        kind = EMBEDDING
    elif chosen.id == 8:
        kind = HISTOGRAM
    elif chosen.id == 9:
        kind = PR_CURVE
    elif chosen.id == 10:
        kind = META
    elif chosen.id == 11:
        kind = ROC_CURVE
    elif chosen.id == 12:
        kind = TEXT
    elif chosen.id == 13:
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
        if p == NULL or field.id != 1 or field.wire != BYTES:
            return MALFORMED
        status = read_visualdl_value(scan, &field, keep)
        if status != FINE:
            return status
    return FINE


cdef int read_entry(Field* message, double* value) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p = message.begin
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL:
            return MALFORMED
        if (field.id == 2 or field.id == 3 or field.id == 8) and field.wire == VARINT:
            value[0] = <double><int64_t>field.number
        elif field.id == 6 and field.wire == FIXED32:
            value[0] = single_at(field.begin)
        elif field.id == 7 and field.wire == FIXED64:
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
        if field.id == 1 and field.wire == BYTES:
            entries += 1
            if entries == 1 and component == 0 and read_entry(&field, &value) == MALFORMED:
                return MALFORMED
        elif field.id == 2 and field.wire == VARINT:
            wall = seconds(<int64_t>field.number)
        elif field.id == 3 and field.wire == VARINT:
            step = <int64_t>field.number
    if component == 0:
        return keep_point(scan, tag, size, step, wall, value) if entries else FINE
    if component == 1:
        kind = HISTOGRAM
    elif component == 2:
        kind = IMAGE
    elif component == 3:
        kind = TEXT
    elif component == 4:
        kind = AUDIO
    elif component == 5:
        kind = EMBEDDING
    else:
        return FINE
    return keep_blob(scan, kind, tag, size, step, wall, message.begin, message.end)


# ---- Files of records ----

cdef inline bint checksum_holds(const uint8_t* begin, size_t size) noexcept nogil:
    return mi_masked_crc(begin, size) == mi_load32(begin + size)


cdef bint is_header(const uint8_t* p, const uint8_t* end) noexcept nogil:
    return end - p >= HEADER and mi_load64(p) <= MAX_LENGTH and checksum_holds(p, 8)


cdef const uint8_t* next_header(const uint8_t* p, const uint8_t* end) noexcept nogil:
    while end - p >= HEADER and not is_header(p, end):
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
    while end - p >= JUDGED:
        length = mi_load64(p)
        if length <= MAX_LENGTH and p[PREFIX] == 0x0A:
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
        if field.id == 1 and field.wire == VARINT:
            component = field.number
    limit = p
    p = begin
    while p < limit:
        p = next_field(p, limit, &field)
        if field.id != 4 or field.wire != BYTES:
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


# ---- Grouping ----

ctypedef fused real:
    float
    double

cdef packed struct Stats:  # batch.STATS
    int64_t count
    int64_t first_step
    int64_t last_step
    double low
    double high
    double last_value
    int64_t non_finite
    double first_wall
    double last_wall

cdef packed struct Block:  # batch.BLOCK
    double low
    double high
    uint32_t low_at
    uint32_t high_at
    uint32_t odd_at

cdef struct Group:
    int64_t count
    int64_t start
    int64_t cursor
    int64_t last_step


cdef void count_points(Scan* scan, Group* groups) noexcept nogil:
    """How many points each series keeps when only the last of equal steps in a row counts."""
    cdef size_t index
    cdef Point* point
    cdef Group* group
    for index in range(scan.point_count):
        point = &scan.points[index]
        group = &groups[point.number]
        if group.count and group.last_step == point.step:
            continue
        group.last_step = point.step
        group.count += 1


cdef int64_t place_groups(Group* groups, size_t count, uint32_t* numbers, int64_t* starts) noexcept nogil:
    """Lay the series out one after the other; gives the number of points."""
    cdef size_t number
    cdef size_t present = 0
    cdef int64_t position = 0
    for number in range(count):
        if groups[number].count:
            numbers[present] = <uint32_t>number
            starts[present] = position
            groups[number].start = groups[number].cursor = position
            position += groups[number].count
            present += 1
    starts[present] = position
    return position


cdef bint scatter_points(Scan* scan, Group* groups, int64_t* steps, double* walls, real* values) noexcept nogil:
    """Put every point in its series' place; tells whether each value kept its exact value."""
    cdef size_t index
    cdef int64_t at
    cdef Point* point
    cdef Group* group
    cdef real value
    cdef bint exact = True
    for index in range(scan.point_count):
        point = &scan.points[index]
        group = &groups[point.number]
        at = group.cursor
        if at > group.start and steps[at - 1] == point.step:
            at -= 1
        else:
            group.cursor = at + 1
        steps[at] = point.step
        walls[at] = point.wall
        value = <real>point.value
        values[at] = value
        if <double>value != point.value and point.value == point.value:
            exact = False
    return exact


cdef bint narrow(double* values, float* narrowed, int64_t count) noexcept nogil:
    """Copy to float32; False when a value would change."""
    cdef int64_t index
    for index in range(count):
        narrowed[index] = <float>values[index]
        if <double>narrowed[index] != values[index] and values[index] == values[index]:
            return False
    return True


cdef int64_t summarise(
    int64_t* starts, size_t present, int64_t* steps, double* walls, real* values, Stats* stats, Block* blocks
) noexcept nogil:
    """Fill in stats and blocks of every series; gives the number of steps that go backwards."""
    cdef size_t series
    cdef int64_t begin, end, at, stop, backwards = 0
    cdef Stats* stat
    cdef Block* block = blocks
    cdef real value, low, high
    cdef uint32_t low_at, high_at, odd_at, place
    cdef double wall, last_wall
    for series in range(present):
        begin, end = starts[series], starts[series + 1]
        stat = &stats[series]
        stat.count = end - begin
        stat.first_step = steps[begin]
        stat.last_step = steps[end - 1]
        stat.last_value = values[end - 1]
        stat.first_wall = walls[begin]
        stat.low = stat.high = NOT_A_NUMBER
        stat.non_finite = 0
        last_wall = walls[begin]
        for at in range(begin + 1, end):
            wall = walls[at]
            if wall > last_wall or last_wall != last_wall:
                last_wall = wall
            backwards += steps[at] <= steps[at - 1]
        stat.last_wall = last_wall
        while begin < end:
            stop = begin + BLOCK_POINTS if end - begin > BLOCK_POINTS else end
            low = <real>INFINITE
            high = <real>-INFINITE
            low_at = high_at = odd_at = NOWHERE
            for place in range(<uint32_t>(stop - begin)):
                value = values[begin + place]
                if not mi_likely(value - value == 0):
                    stat.non_finite += 1
                    if odd_at == NOWHERE:
                        odd_at = place
                    continue
                if value < low:
                    low = value
                    low_at = place
                if value > high:
                    high = value
                    high_at = place
            block.low_at, block.high_at, block.odd_at = low_at, high_at, odd_at
            block.low = block.high = NOT_A_NUMBER
            if low_at != NOWHERE:
                block.low, block.high = low, high
                if not stat.low <= block.low:
                    stat.low = block.low
                if not stat.high >= block.high:
                    stat.high = block.high
            block += 1
            begin = stop
    return backwards


cdef void find_breaks(int64_t* starts, size_t present, int64_t* steps, int64_t* breaks) noexcept nogil:
    cdef size_t series
    cdef int64_t at
    for series in range(present):
        for at in range(starts[series] + 1, starts[series + 1]):
            if steps[at] <= steps[at - 1]:
                breaks[0] = at
                breaks += 1


cdef void scatter_blobs(
    Scan* scan, Group* groups, int64_t* steps, double* walls, int64_t* offsets, int64_t* lengths
) noexcept nogil:
    cdef size_t index
    cdef int64_t at
    cdef Blob* blob
    for index in range(scan.blob_count):
        blob = &scan.blobs[index]
        at = groups[blob.number].cursor
        groups[blob.number].cursor = at + 1
        steps[at] = blob.step
        walls[at] = blob.wall
        offsets[at] = blob.offset
        lengths[at] = blob.length


cdef size_t present_groups(Group* groups, size_t count, int64_t* blocks) noexcept nogil:
    """How many series have points, and how many blocks these fill."""
    cdef size_t number
    cdef size_t present = 0
    blocks[0] = 0
    for number in range(count):
        present += groups[number].count != 0
        blocks[0] += (groups[number].count + BLOCK_POINTS - 1) // BLOCK_POINTS
    return present


# ---- The door ----

# Loaded by the first scanner, so that the writers get the checksum without paying for numpy.
cdef object _empty = None
cdef object _Batch = None
cdef object _describe = None
cdef object _STATS = None
cdef object _BLOCK = None
cdef object _u4 = None
cdef object _i8 = None
cdef object _f4 = None
cdef object _f8 = None


cdef void load_numpy() except *:
    global _empty, _Batch, _describe, _STATS, _BLOCK, _u4, _i8, _f4, _f8
    import numpy

    from mindinsight_like.logs import batch

    _u4, _i8, _f4, _f8 = (numpy.dtype(name) for name in ("u4", "i8", "f4", "f8"))
    _Batch, _describe, _STATS, _BLOCK = batch.Batch, batch.describe, batch.STATS, batch.BLOCK
    _empty = numpy.empty


cdef void* memory_of(object array) except? NULL:
    """Where the elements of an array stand; the caller keeps the array alive."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_WRITABLE)
    cdef void* memory = view.buf
    PyBuffer_Release(&view)
    return memory


def masked_crc32c(data):
    """CRC-32C (Castagnoli) of the bytes, rotated and shifted as TFRecord files store it."""
    cdef Py_buffer view
    cdef uint32_t crc
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    with nogil:
        crc = mi_masked_crc(<const uint8_t*>view.buf, <size_t>view.len)
    PyBuffer_Release(&view)
    return crc


cdef class Scanner:
    """Finds every value of one log file, fed piece by piece; see the twin."""

    cdef Scan scan
    cdef uint32_t dialect
    cdef bytes tag
    cdef size_t taken_keys
    cdef bint busy

    def __cinit__(self, dialect, keys=(), *, offset=0, damaged=False, tag=""):
        if not 0 <= dialect < DIALECTS:
            raise ValueError(f"{dialect} is not a valid Dialect")
        self.dialect = dialect
        self.tag = tag.encode(errors="replace")
        self.scan.offset = offset
        self.scan.damaged = damaged
        self.scan.last = NOWHERE
        cdef bytes key
        cdef const uint8_t* name
        for given in keys:
            key = bytes(given)
            name = <const uint8_t*><const char*>key
            if not key or name[0] >= KINDS:
                raise ValueError(f"{key!r} is no key of a series")
            if not add_key(&self.scan, name[0], name + 1, len(key) - 1, hash_of(name[0], name + 1, len(key) - 1)):
                raise MemoryError
        self.taken_keys = self.scan.key_count
        if _empty is None:
            load_numpy()

    def __dealloc__(self):
        free(self.scan.keys)
        free(self.scan.names)
        free(self.scan.slots)
        free(self.scan.scratch)
        free(self.scan.points)
        free(self.scan.blobs)
        free(self.scan.regions)

    @property
    def offset(self):
        """File position of the first byte not yet consumed."""
        return self.scan.offset

    @property
    def damaged(self):
        """True in a damaged region whose warning was already given."""
        return bool(self.scan.damaged)

    @property
    def wanted(self):
        """Bytes from `offset` that the next record needs, 0 when unknown."""
        return self.scan.wanted

    @property
    def pending(self):
        """Scalars and blobs found since the last `take`."""
        return self.scan.point_count + self.scan.blob_count

    def feed(self, data, *, bint at_end):
        """Read whole records from bytes that begin at `offset`; returns how many bytes are done with.

        `at_end` says that the data reaches the present end of the file.
        """
        cdef Py_buffer view
        cdef const uint8_t* begin
        cdef const uint8_t* end
        cdef const uint8_t* tag = <const uint8_t*><const char*>self.tag
        cdef size_t tag_size = len(self.tag)
        cdef bint short_of_memory = False
        cdef Scan* scan = &self.scan
        self.enter()
        try:
            PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
            try:
                scan.wanted = 0
                scan.data = begin = end = <const uint8_t*>view.buf
                if view.len:
                    with nogil:
                        end = begin + view.len
                        if self.dialect == VISUALDL:
                            end = feed_lengths(scan, begin, end, at_end, &short_of_memory)
                        elif self.dialect == VISUALDL_LEGACY:
                            end = feed_tablet(scan, begin, end, tag, tag_size, &short_of_memory)
                        else:
                            end = feed_frames(scan, self.dialect, begin, end, at_end, &short_of_memory)
                scan.offset += end - begin
            finally:
                PyBuffer_Release(&view)
        finally:
            self.busy = False
        if short_of_memory:
            raise MemoryError
        return end - begin

    def take(self):
        """Everything found since the last call, grouped by series."""
        self.enter()
        try:
            return self.batch()
        finally:
            self.busy = False

    cdef void enter(self) except *:
        if self.busy:
            raise RuntimeError("a scanner belongs to one thread at a time")
        self.busy = True

    cdef object batch(self):
        cdef Scan* scan = &self.scan
        cdef Key* key
        cdef size_t index
        keys = []
        for index in range(self.taken_keys, scan.key_count):
            key = &scan.keys[index]
            keys.append(PyBytes_FromStringAndSize(<const char*>scan.names + key.at, key.size))
        damage = [
            _describe(scan.regions[index].offset, scan.regions[index].cause, scan.regions[index].skipped)
            for index in range(scan.region_count)
        ]
        cdef Group* groups = <Group*>calloc(scan.key_count + 1, sizeof(Group))
        if groups == NULL:
            raise MemoryError
        try:
            scalars = self.scalars(groups)
            memset(groups, 0, scan.key_count * sizeof(Group))
            blobs = self.blobs(groups)
        finally:
            free(groups)
        self.taken_keys = scan.key_count
        scan.point_count = scan.blob_count = scan.region_count = 0
        scan.warned_here = False
        if scan.point_room > KEPT_POINTS:
            free(scan.points)
            scan.points = NULL
            scan.point_room = 0
        if scan.blob_room > KEPT_POINTS:
            free(scan.blobs)
            scan.blobs = NULL
            scan.blob_room = 0
        return _Batch(keys, *scalars, *blobs, damage)

    cdef tuple scalars(self, Group* groups):
        cdef Scan* scan = &self.scan
        cdef size_t present
        cdef size_t number
        cdef int64_t count, backwards, block_count
        cdef bint exact
        with nogil:
            count_points(scan, groups)
            present = present_groups(groups, scan.key_count, &block_count)
        numbers = _empty(present, _u4)
        starts = _empty(present + 1, _i8)
        cdef int64_t* starts_at = <int64_t*>memory_of(starts)
        count = place_groups(groups, scan.key_count, <uint32_t*>memory_of(numbers), starts_at)
        steps, walls, values = _empty(count, _i8), _empty(count, _f8), _empty(count, _f4)
        stats, blocks = _empty(present, _STATS), _empty(block_count, _BLOCK)
        cdef int64_t* steps_at = <int64_t*>memory_of(steps)
        cdef double* walls_at = <double*>memory_of(walls)
        cdef float* floats_at = <float*>memory_of(values)
        cdef double* doubles_at
        cdef Stats* stats_at = <Stats*>memory_of(stats)
        cdef Block* blocks_at = <Block*>memory_of(blocks)
        with nogil:
            exact = scatter_points(scan, groups, steps_at, walls_at, floats_at)
        if not exact:
            doubles = _empty(count, _f8)
            doubles_at = <double*>memory_of(doubles)
            with nogil:
                for number in range(scan.key_count):
                    groups[number].cursor = groups[number].start
                scatter_points(scan, groups, steps_at, walls_at, doubles_at)
                exact = narrow(doubles_at, floats_at, count)  # what did not fit may have been replaced by a later point
        if exact:
            with nogil:
                backwards = summarise(starts_at, present, steps_at, walls_at, floats_at, stats_at, blocks_at)
        else:
            values = doubles
            with nogil:
                backwards = summarise(starts_at, present, steps_at, walls_at, doubles_at, stats_at, blocks_at)
        breaks = _empty(backwards, _i8)
        if backwards:
            find_breaks(starts_at, present, steps_at, <int64_t*>memory_of(breaks))
        return numbers, starts, steps, walls, values, stats, breaks, blocks

    cdef tuple blobs(self, Group* groups):
        cdef Scan* scan = &self.scan
        cdef size_t index
        cdef int64_t block_count
        for index in range(scan.blob_count):
            groups[scan.blobs[index].number].count += 1
        cdef size_t present = present_groups(groups, scan.key_count, &block_count)
        numbers, starts = _empty(present, _u4), _empty(present + 1, _i8)
        cdef int64_t count = place_groups(
            groups, scan.key_count, <uint32_t*>memory_of(numbers), <int64_t*>memory_of(starts)
        )
        steps, walls, offsets, lengths = _empty(count, _i8), _empty(count, _f8), _empty(count, _i8), _empty(count, _i8)
        scatter_blobs(
            scan,
            groups,
            <int64_t*>memory_of(steps),
            <double*>memory_of(walls),
            <int64_t*>memory_of(offsets),
            <int64_t*>memory_of(lengths),
        )
        return numbers, starts, steps, walls, offsets, lengths
