/* CRC-32 as zlib has it, eight bytes at a time, and decimals as doubles. */

#ifndef MI_RECORDS_H
#define MI_RECORDS_H

#include "../logs/_crc.h"  /* how numbers are loaded from bytes */
#include <float.h>
#include <math.h>

static inline float mi_single(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
static inline double mi_double(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }

#ifdef __GNUC__
#define mi_likely(x) __builtin_expect(!!(x), 1)
#else
#define mi_likely(x) (x)
#endif

static uint32_t mi_crc32_tables[8][256];
static long double mi_tens[28];

static void mi_records_prepare(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        mi_crc32_tables[0][byte] = crc;
    }
    for (int table = 1; table < 8; table++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t crc = mi_crc32_tables[table - 1][byte];
            mi_crc32_tables[table][byte] = mi_crc32_tables[0][crc & 255] ^ crc >> 8;
        }
    mi_tens[0] = 1;
    for (int power = 1; power < 28; power++) mi_tens[power] = mi_tens[power - 1] * 10;
}

static uint32_t mi_crc32(const uint8_t *p, size_t n) {
    uint32_t crc = ~0u;
    for (; n >= 8; n -= 8, p += 8) {
        uint32_t low = crc ^ mi_load32(p), high = mi_load32(p + 4);
        crc = mi_crc32_tables[7][low & 255] ^ mi_crc32_tables[6][low >> 8 & 255] ^ mi_crc32_tables[5][low >> 16 & 255]
            ^ mi_crc32_tables[4][low >> 24] ^ mi_crc32_tables[3][high & 255] ^ mi_crc32_tables[2][high >> 8 & 255]
            ^ mi_crc32_tables[1][high >> 16 & 255] ^ mi_crc32_tables[0][high >> 24];
    }
    while (n--) crc = mi_crc32_tables[0][(crc ^ *p++) & 255] ^ crc >> 8;
    return ~crc;
}

typedef struct {
    uint64_t digits;
    int64_t exponent;
    int is_negative, is_integer, is_dropping;
} mi_decimal;

/* Whether the whole text is a number as JSON has it; leading zeros pass, as Python's float takes them. */
static int mi_read_decimal(const uint8_t *p, const uint8_t *end, mi_decimal *number) {
    const uint8_t *begin;
    uint64_t digits = 0;
    int64_t exponent = 0;
    int is_dropping = 0;
    number->is_negative = p < end && *p == '-';
    p += number->is_negative;
    for (begin = p; p < end && (unsigned)(*p - '0') <= 9; p++) {
        if (digits < 1000000000000000000ull) digits = digits * 10 + (*p - '0');
        else { is_dropping = 1; exponent++; }
    }
    if (p == begin) return 0;
    number->is_integer = 1;
    if (p < end && *p == '.') {
        number->is_integer = 0;
        for (begin = ++p; p < end && (unsigned)(*p - '0') <= 9; p++) {
            if (digits < 1000000000000000000ull) { digits = digits * 10 + (*p - '0'); exponent--; }
            else is_dropping |= *p != '0';
        }
        if (p == begin) return 0;
    }
    if (p < end && (*p | 0x20) == 'e') {
        int64_t power = 0;
        int is_minus = 0;
        number->is_integer = 0;
        p++;
        if (p < end && (*p == '-' || *p == '+')) is_minus = *p++ == '-';
        for (begin = p; p < end && (unsigned)(*p - '0') <= 9; p++) if (power < 100000) power = power * 10 + (*p - '0');
        if (p == begin) return 0;
        exponent += is_minus ? -power : power;
    }
    number->digits = digits;
    number->exponent = exponent;
    number->is_dropping = is_dropping;
    return p == end;
}

/* The nearest double of a decimal; 0 where that takes more than one rounding to find out. */
static int mi_nearest(const mi_decimal *number, double *value) {
    if (number->is_dropping) return 0;
    if (number->digits == 0) {
        *value = number->is_negative ? -0.0 : 0.0;
        return 1;
    }
#if LDBL_MANT_DIG == 64
    if (number->exponent >= -27 && number->exponent <= 27) {
        /* Digits and power of ten are exact, so one rounding to 64 bits has happened. A second one to 53 bits errs only
           if the first one ended halfway between two doubles. */
        long double wide = (long double)number->digits;
        uint64_t bits;
        wide = number->exponent < 0 ? wide / mi_tens[-number->exponent] : wide * mi_tens[number->exponent];
        memcpy(&bits, &wide, 8);
        if ((bits & 0x7FF) == 0x400) return 0;
        *value = number->is_negative ? -(double)wide : (double)wide;
        return 1;
    }
#else
    if (number->digits <= 1ull << 53 && number->exponent >= -22 && number->exponent <= 22) {
        double plain = (double)number->digits, ten = (double)mi_tens[number->exponent < 0 ? -number->exponent : number->exponent];
        plain = number->exponent < 0 ? plain / ten : plain * ten;
        *value = number->is_negative ? -plain : plain;
        return 1;
    }
#endif
    return 0;
}

#endif
