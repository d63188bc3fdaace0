# CRC-32C and how numbers are loaded from bytes: `_crc.h`. Included by _scan.pyx.

cdef extern from *:
    """
    #include "_crc.h"

    static inline float mi_single(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
    static inline double mi_double(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }

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
    uint32_t mi_masked_crc(const uint8_t* p, size_t n) noexcept nogil
    uint32_t mi_crc_long(uint32_t crc, const uint8_t* p, size_t n) noexcept nogil
    void mi_crc_chunks(const uint8_t* p, size_t n, size_t chunk, uint32_t* out) noexcept nogil
    bint mi_likely(bint x) noexcept nogil

mi_crc_prepare()
