/* CRC-32C (Castagnoli): with the processor's instruction where there is one, four lanes at a time for long input.
   `reference/crc.py` says the same in Python. */

#ifndef MI_CRC_H
#define MI_CRC_H

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

#define MI_CRC_POLYNOMIAL 0x82F63B78u

static uint32_t mi_crc_table[256];
static uint32_t mi_crc_powers[64];  /* x to the power of 8 * 2^k: what 2^k more bytes multiply a checksum by */
static int mi_crc_is_fast = 0;

/* The product of two polynomials modulo that of the checksum; the highest bit is x to the power of 0. */
static uint32_t mi_crc_product(uint32_t a, uint32_t b) {
    uint32_t product = 0;
    for (uint32_t bit = 0x80000000u; bit; bit >>= 1) {
        if (a & bit) product ^= b;
        b = b >> 1 ^ (b & 1 ? MI_CRC_POLYNOMIAL : 0);
    }
    return product;
}

/* What `bytes` more bytes multiply a checksum by. */
static uint32_t mi_crc_shift(uint64_t bytes) {
    uint32_t shift = 0x80000000u;
    for (int k = 0; bytes; k++, bytes >>= 1)
        if (bytes & 1) shift = mi_crc_product(mi_crc_powers[k], shift);
    return shift;
}

/* All functions take and give the checksum as it is stored; it begins with 0. */
static uint32_t mi_crc_plain(uint32_t crc, const uint8_t *p, size_t n) {
    crc = ~crc;
    while (n--) crc = mi_crc_table[(crc ^ *p++) & 255] ^ crc >> 8;
    return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <nmmintrin.h>
#define MI_CRC_TARGET __attribute__((target("sse4.2")))
typedef uint64_t mi_crc_word;  /* what the instruction for eight bytes gives, so that nothing has to be converted */
#define MI_CRC_STEP8(crc, x) ((crc) = _mm_crc32_u64((crc), (x)))
#define MI_CRC_STEP4(crc, x) ((crc) = _mm_crc32_u32((uint32_t)(crc), (x)))
#define MI_CRC_STEP2(crc, x) ((crc) = _mm_crc32_u16((uint32_t)(crc), (x)))
#define MI_CRC_STEP1(crc, x) ((crc) = _mm_crc32_u8((uint32_t)(crc), (x)))
static int mi_crc_has_fast(void) { return __builtin_cpu_supports("sse4.2"); }
#elif defined(__aarch64__) && defined(__GNUC__) && (defined(__linux__) || defined(__APPLE__))
#ifdef __linux__
#include <sys/auxv.h>
static int mi_crc_has_fast(void) { return (getauxval(AT_HWCAP) >> 7) & 1; }  /* HWCAP_CRC32 */
#else
static int mi_crc_has_fast(void) { return 1; }
#endif
/* Spelt out, because compilers disagree on when their headers offer these instructions. */
#define MI_CRC_TARGET
typedef uint32_t mi_crc_word;
#define MI_CRC_ASM(name, form, crc, x) \
    __asm__(".arch_extension crc\n" name " %w0, %w0, %" form "1" : "+r"(crc) : "r"(x))
#define MI_CRC_STEP8(crc, x) MI_CRC_ASM("crc32cx", "x", crc, x)
#define MI_CRC_STEP4(crc, x) MI_CRC_ASM("crc32cw", "w", crc, x)
#define MI_CRC_STEP2(crc, x) MI_CRC_ASM("crc32ch", "w", crc, (uint32_t)(x))
#define MI_CRC_STEP1(crc, x) MI_CRC_ASM("crc32cb", "w", crc, (uint32_t)(x))
#endif

#ifdef MI_CRC_TARGET
MI_CRC_TARGET static uint32_t mi_crc_fast(uint32_t before, const uint8_t *p, size_t n) {
    mi_crc_word crc = ~before;
    for (; n >= 8; n -= 8, p += 8) MI_CRC_STEP8(crc, mi_load64(p));
    if (n & 4) { MI_CRC_STEP4(crc, mi_load32(p)); p += 4; }
    if (n & 2) { MI_CRC_STEP2(crc, mi_load16(p)); p += 2; }
    if (n & 1) MI_CRC_STEP1(crc, *p);
    return ~(uint32_t)crc;
}

/* The checksums of four buffers of one length, a multiple of eight: an instruction waits for the one before in its
   own lane only. */
MI_CRC_TARGET static void mi_crc_lanes(const uint8_t *p, size_t stride, size_t n, uint32_t crcs[4]) {
    mi_crc_word a = ~crcs[0], b = ~crcs[1], c = ~crcs[2], d = ~crcs[3];
    const uint8_t *q = p + stride, *r = q + stride, *s = r + stride;
    for (size_t at = 0; at < n; at += 8) {
        MI_CRC_STEP8(a, mi_load64(p + at));
        MI_CRC_STEP8(b, mi_load64(q + at));
        MI_CRC_STEP8(c, mi_load64(r + at));
        MI_CRC_STEP8(d, mi_load64(s + at));
    }
    crcs[0] = ~(uint32_t)a; crcs[1] = ~(uint32_t)b; crcs[2] = ~(uint32_t)c; crcs[3] = ~(uint32_t)d;
}
#else
static int mi_crc_has_fast(void) { return 0; }
#define mi_crc_fast mi_crc_plain
static void mi_crc_lanes(const uint8_t *p, size_t stride, size_t n, uint32_t crcs[4]) {
    for (int lane = 0; lane < 4; lane++) crcs[lane] = mi_crc_plain(crcs[lane], p + lane * stride, n);
}
#endif

static void mi_crc_prepare(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? MI_CRC_POLYNOMIAL : 0);
        mi_crc_table[byte] = crc;
    }
    mi_crc_powers[0] = 0x00800000u;
    for (int k = 1; k < 64; k++) mi_crc_powers[k] = mi_crc_product(mi_crc_powers[k - 1], mi_crc_powers[k - 1]);
    mi_crc_is_fast = mi_crc_has_fast();
}

static inline uint32_t mi_crc(uint32_t crc, const uint8_t *p, size_t n) {
    return mi_crc_is_fast ? mi_crc_fast(crc, p, n) : mi_crc_plain(crc, p, n);
}

#define MI_CRC_LONG 16384  /* bytes from which joining four lanes costs less than it saves */

/* The same for long input. */
static uint32_t mi_crc_long(uint32_t crc, const uint8_t *p, size_t n) {
    if (mi_crc_is_fast && n >= MI_CRC_LONG) {
        size_t lane = n / 4 & ~(size_t)7;
        uint32_t crcs[4] = {crc, 0, 0, 0};
        uint32_t shift = mi_crc_shift(lane);
        mi_crc_lanes(p, lane, lane, crcs);
        crc = crcs[0];
        for (int k = 1; k < 4; k++) crc = mi_crc_product(shift, crc) ^ crcs[k];
        p += 4 * lane;
        n -= 4 * lane;
    }
    return mi_crc(crc, p, n);
}

/* One checksum for each started chunk; `chunk` is a multiple of eight. */
static inline void mi_crc_chunks(const uint8_t *p, size_t n, size_t chunk, uint32_t *out) {
    if (mi_crc_is_fast) {
        for (; n >= 4 * chunk; n -= 4 * chunk, p += 4 * chunk, out += 4) {
            out[0] = out[1] = out[2] = out[3] = 0;
            mi_crc_lanes(p, chunk, chunk, out);
        }
    }
    while (n) {
        size_t size = n < chunk ? n : chunk;
        *out++ = mi_crc(0, p, size);
        p += size;
        n -= size;
    }
}

static inline uint32_t mi_masked_crc(const uint8_t *p, size_t n) {
    uint32_t crc = mi_crc(0, p, n);
    return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

#endif
