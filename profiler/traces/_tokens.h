/* Tokens of JSON that need not be whole or right, and numbers in them, for the native scanner of trace events; see
   reference/tokens.py and reference/numbers.py. Functions that read a token take pointers to it and to the end of the data, and
   return a pointer behind it, or MI_MORE or MI_WRONG. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__) && defined(__GNUC__)
#include <emmintrin.h>
#endif

#define MI_MORE ((const uint8_t *)0)
#define MI_WRONG ((const uint8_t *)1)
#define MI_IS_BAD(p) ((uintptr_t)(p) <= 1)

static uint8_t mi_classes[256];
enum { MI_SPACE = 1, MI_BARE = 2 };

static void mi_prepare(void) {
    const char *space = " \t\r\n", *bare = "+-.";
    for (; *space; space++) mi_classes[(uint8_t)*space] |= MI_SPACE;
    for (; *bare; bare++) mi_classes[(uint8_t)*bare] |= MI_BARE;
    for (int letter = 0; letter < 26; letter++) mi_classes['a' + letter] = mi_classes['A' + letter] = MI_BARE;
    for (int digit = 0; digit < 10; digit++) mi_classes['0' + digit] = MI_BARE;
}

static inline const uint8_t *mi_space(const uint8_t *p, const uint8_t *end) {
    while (p < end && *p <= ' ' && mi_classes[*p] & MI_SPACE) p++;  /* the first tests end it nearly always */
    return p;
}

/* Behind the string that begins at p. */
static inline const uint8_t *mi_string(const uint8_t *p, const uint8_t *end) {
    p++;
    for (;;) {
#if defined(__SSE2__) && defined(__GNUC__)
        const __m128i quotes = _mm_set1_epi8('"'), escapes = _mm_set1_epi8('\\');
        int found = 0;
        while (end - p >= 16) {
            __m128i bytes = _mm_loadu_si128((const __m128i *)p);
            found = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, escapes)));
            if (found) { p += __builtin_ctz(found); break; }
            p += 16;
        }
        if (!found)
#endif
        while (p < end && *p != '"' && *p != '\\') p++;
        if (p == end) return MI_MORE;
        if (*p == '"') return p + 1;
        if (end - p < 2) return MI_MORE;
        p += 2;
    }
}

/* Where the next quote or bracket from p on is, or end; `more` gets bits of others that follow it closely, the first
   one for the next byte. */
static inline const uint8_t *mi_mark(const uint8_t *p, const uint8_t *end, uint32_t *more) {
#if defined(__SSE2__) && defined(__GNUC__)
    const __m128i fold = _mm_set1_epi8(0x20), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
    const __m128i quotes = _mm_set1_epi8('"');
    for (; end - p >= 16; p += 16) {  /* square brackets become curly ones, and a control character a quote */
        __m128i bytes = _mm_or_si128(_mm_loadu_si128((const __m128i *)p), fold);
        __m128i brackets = _mm_or_si128(_mm_cmpeq_epi8(bytes, open), _mm_cmpeq_epi8(bytes, close));
        uint32_t found = (uint32_t)_mm_movemask_epi8(_mm_or_si128(brackets, _mm_cmpeq_epi8(bytes, quotes)));
        if (found) {
            int first = __builtin_ctz(found);
            *more = found >> first >> 1;
            return p + first;
        }
    }
#endif
    *more = 0;
    while (p < end && *p != '"' && (*p | 0x20) != '{' && (*p | 0x20) != '}') p++;
    return p;
}

/* Behind the brackets that open at p, which close each other, at most `most` deep (64 or less). */
static const uint8_t *mi_brackets(const uint8_t *p, const uint8_t *end, int most) {
    const uint8_t *next = p;
    uint64_t kinds = 0;  /* a bit for each open bracket: whether it is curly */
    uint32_t more = 0;
    int depth = 0;
    for (;;) {
#if defined(__GNUC__)
        if (more) {
            int step = __builtin_ctz(more) + 1;
            p += step;
            more >>= step;
        } else
#endif
        p = mi_mark(next, end, &more);
        if (p == end) return MI_MORE;
        next = p + 1;
        if (*p == '"') {
            next = mi_string(p, end);
            if (MI_IS_BAD(next)) return next;
            next = mi_space(next, end);
            if (next == end) return MI_MORE;
            if (*next != ',' && *next != ':' && *next != '}' && *next != ']') return MI_WRONG;
            more = 0;
        } else if (*p == '{' || *p == '[') {
            if (depth == most) return MI_WRONG;
            kinds = kinds << 1 | (*p == '{');
            depth++;
        } else if (*p == '}' || *p == ']') {
            if ((kinds & 1) != (*p == '}')) return MI_WRONG;
            kinds >>= 1;
            if (--depth == 0) return next;
        }
    }
}

static inline const uint8_t *mi_skip(const uint8_t *p, const uint8_t *end, int most) {
    if (p == end) return MI_MORE;
    if (*p == '"') return mi_string(p, end);
    if (*p == '{' || *p == '[') return mi_brackets(p, end, most);
    const uint8_t *begin = p;
    while (p < end && mi_classes[*p] & MI_BARE) p++;
    if (p == begin) return MI_WRONG;
    return p == end ? MI_MORE : p;
}

typedef struct {
    uint64_t digits;
    int64_t exponent;
    int is_negative, is_dropping, first_dropped;
    const uint8_t *begin, *end;
} mi_number;

/* Whether the token begins with a number. */
static int mi_read_number(const uint8_t *p, const uint8_t *end, mi_number *number) {
    int has_digits = 0;
    memset(number, 0, sizeof *number);
    if (p < end && *p == '"') { p++; end--; }
    while (p < end && *p == ' ') p++;
    number->begin = p;
    if (p < end && (*p == '-' || *p == '+')) number->is_negative = *p++ == '-';
    for (int is_fraction = 0;; p++) {
        if (p < end && *p == '.' && !is_fraction) { is_fraction = 1; continue; }
        unsigned digit = p < end ? (unsigned)*p - '0' : 10;
        if (digit > 9) break;
        has_digits = 1;
        const uint64_t most = UINT64_MAX / 10;
        if (!number->is_dropping && (number->digits < most || (number->digits == most && digit <= UINT64_MAX % 10))) {
            number->digits = number->digits * 10 + digit;
            number->exponent -= is_fraction;
        } else {
            if (!number->is_dropping) number->first_dropped = digit;
            number->is_dropping = 1;
            number->exponent += !is_fraction;
        }
    }
    if (p < end && (*p | 0x20) == 'e') {
        const uint8_t *q = p + 1;
        int is_minus = 0, power = 0;
        if (q < end && (*q == '-' || *q == '+')) is_minus = *q++ == '-';
        if (q < end && *q >= '0' && *q <= '9') {
            for (; q < end && *q >= '0' && *q <= '9'; q++) if (power < 9999) power = power * 10 + (*q - '0');
            if (power > 9999) power = 9999;
            number->exponent += is_minus ? -power : power;
            p = q;
        }
    }
    number->end = p;
    return has_digits;
}

/* Whether the number times ten to the exponent fits into 64 bits. */
static int mi_scale(const mi_number *number, int exponent, uint64_t *magnitude) {
    int64_t power = number->exponent + exponent;
    uint64_t value = number->digits;
    if (value && power > 0) {
        if (power > 20 || number->is_dropping) return 0;
        for (; power > 0; power--) {
            if (value > UINT64_MAX / 10) return 0;
            value *= 10;
        }
    } else if (power < -19) {
        value = 0;
    } else if (power < 0) {
        uint64_t unit = 1;
        for (; power < 0; power++) unit *= 10;
        value = value / unit + (value % unit >= unit / 2);
    } else if (number->first_dropped >= 5) {
        if (value == UINT64_MAX) return 0;
        value++;
    }
    *magnitude = value;
    return 1;
}

/* Whether the decimal is one that two exact doubles and one rounding give. */
static int mi_is_simple(const mi_number *number) {
    return !number->is_dropping && number->digits <= (1ull << 53) && number->exponent >= -22 && number->exponent <= 22;
}

static double mi_simple(const mi_number *number) {
    double value = (double)number->digits, unit = 1;
    int64_t power = number->exponent < 0 ? -number->exponent : number->exponent;
    for (; power; power--) unit *= 10;
    value = number->exponent < 0 ? value / unit : value * unit;
    return number->is_negative ? -value : value;
}

/* The number that the digits at p are, at most 19; returns where they end. */
static inline const uint8_t *mi_digits(const uint8_t *p, const uint8_t *end, uint64_t *value) {
    uint64_t sum = 0;
    unsigned digit;
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (end - p >= 8) {  /* eight at once: pairs, then fours, then all */
        uint64_t word;
        memcpy(&word, p, 8);
        if (((word & 0xF0F0F0F0F0F0F0F0ull) | ((word + 0x0606060606060606ull) & 0xF0F0F0F0F0F0F0F0ull) >> 4)
                == 0x3333333333333333ull) {
            word = (word & 0x0F0F0F0F0F0F0F0Full) * 2561 >> 8;
            word = (word & 0x00FF00FF00FF00FFull) * 6553601 >> 16;
            sum = (word & 0x0000FFFF0000FFFFull) * 42949672960001ull >> 32;
            p += 8;
        }
    }
#endif
    for (; p < end && (digit = (unsigned)*p - '0') <= 9; p++) sum = sum * 10 + digit;
    *value = sum;
    return p;
}

/* A whole number of at most 18 digits, the usual case; MI_MORE for anything else. */
static inline const uint8_t *mi_usual_integer(const uint8_t *p, const uint8_t *end, int64_t *integer) {
    uint64_t value;
    const uint8_t *after = mi_digits(p, end - p > 19 ? p + 19 : end, &value);
    if (after == p || after == end || after - p > 18 || mi_classes[*after] & MI_BARE) return MI_MORE;
    *integer = (int64_t)value;
    return after;
}

/* Nanoseconds of the usual microseconds: at most 15 digits and three more behind a point; MI_MORE for anything else. */
static inline const uint8_t *mi_usual_time(const uint8_t *p, const uint8_t *end, int64_t *time) {
    static const uint64_t units[] = {1000, 100, 10, 1};
    uint64_t value, unit = 1000;
    const uint8_t *after = mi_digits(p, end - p > 16 ? p + 16 : end, &value);
    if (after == p || after == end || after - p > 15) return MI_MORE;
    if (*after == '.') {
        const uint8_t *point = after++;
        unsigned digit;
        for (; after < end && after - point <= 4 && (digit = (unsigned)*after - '0') <= 9; after++)
            value = value * 10 + digit;
        if (after == end || after - point < 2 || after - point > 4) return MI_MORE;
        unit = units[after - point - 1];
    }
    if (mi_classes[*after] & MI_BARE) return MI_MORE;
    *time = (int64_t)(value * unit);
    return after;
}

/* A short text to compare with: its first bytes as a number, which tells most texts apart, and all of them. */
enum { MI_WORD_BYTES = 32 };

typedef struct {
    uint64_t head, mask;
    uint32_t rest;  /* a bit for each byte behind the head; those that two loads of 16 have both have two */
    int size;  /* 0 for none */
    uint8_t bytes[MI_WORD_BYTES];
} mi_word;

static inline void mi_set_word(mi_word *word, const uint8_t *p, size_t size) {
    memset(word, 0, sizeof *word);
    memcpy(word->bytes, p, size);
    memcpy(&word->head, word->bytes, 8);
    memset(&word->mask, 0xff, size < 8 ? size : 8);
    for (size_t at = 8; at < size; at++) {
        if (at < 24) word->rest |= 1u << (at - 8);
        if (at >= 16) word->rest |= 1u << at;
    }
    word->size = (int)size;
}

/* Whether the bytes at p begin with that word; MI_WORD_BYTES of them can be read. */
static inline int mi_begins(const uint8_t *p, const mi_word *word) {
    uint64_t head;
    memcpy(&head, p, 8);
    if ((head ^ word->head) & word->mask) return 0;
    if (!word->rest) return 1;
#if defined(__SSE2__) && defined(__GNUC__)
    __m128i first = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(p + 8)),
                                   _mm_loadu_si128((const __m128i *)(word->bytes + 8)));
    __m128i second = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(p + 16)),
                                    _mm_loadu_si128((const __m128i *)(word->bytes + 16)));
    uint32_t equal = (uint32_t)_mm_movemask_epi8(first) | (uint32_t)_mm_movemask_epi8(second) << 16;
    return !(word->rest & ~equal);
#else
    return memcmp(p + 8, word->bytes + 8, word->size - 8) == 0;
#endif
}

enum { MI_MOST_CHANGES = 100 };  /* of a value: one that is always another is not worth remembering */

/* A key that followed another one, and the last value it had: events are written by machines, so that the next one
   has most likely the same keys in the same order, and many of the same values. */
typedef struct mi_member {
    mi_word key;  /* with its quotes and its colon */
    mi_word value;  /* with the byte behind it */
    int changes;  /* of the value */
    int meaning;
    struct mi_member *inner, *other;  /* the first that followed it, another that followed the same one */
} mi_member;

/* The one, of those that followed the member before, whose key stands at p; NULL for none. */
static inline mi_member *mi_recognised(const mi_member *before, const uint8_t *p) {
    mi_member *each = before->inner;
    while (each && !mi_begins(p, &each->key)) each = each->other;
    return each;
}

/* Whether the value at p is the last one that was passed. */
static inline int mi_has_passed(const mi_member *member, const uint8_t *p) {
    return member->value.size && mi_begins(p, &member->value);
}

/* Behind a value that nobody asked for. */
static inline const uint8_t *mi_pass(mi_member *member, const uint8_t *p, const uint8_t *end, int most) {
    if (end - p < MI_WORD_BYTES) return mi_skip(p, end, most);
    if (mi_has_passed(member, p)) return p + member->value.size - 1;
    const uint8_t *after = mi_skip(p, end, most);
    if (member->changes < MI_MOST_CHANGES && !MI_IS_BAD(after) && after - p < MI_WORD_BYTES) {
        mi_set_word(&member->value, p, after - p + 1);
        member->changes++;
    }
    return after;
}

static inline int mi_lowest(uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int lowest = 0;
    for (; !(bits & 1); bits >>= 1) lowest++;
    return lowest;
#endif
}

enum { MI_GLIMPSE_BYTES = 16, MI_GLIMPSES = 4096 };

/* A text that is known by its first bytes, without looking for its end. */
typedef struct {
    uint64_t first, second, first_mask, second_mask;
    int32_t number, size;  /* of the text, 0 for none */
} mi_glimpse;

/* Where texts that begin like p are remembered; as many bytes as a glimpse has can be read. */
static inline mi_glimpse *mi_glimpse_of(mi_glimpse *glimpses, const uint8_t *p) {
    uint64_t first, second;
    memcpy(&first, p, 8);
    memcpy(&second, p + 8, 8);
    uint64_t hash = (first ^ second >> 5) * 0x9E3779B97F4A7C15ull ^ second * 0xC2B2AE3D27D4EB4Full;
    return &glimpses[hash >> 52];
}

/* Whether a text that was remembered stands at p, where `room` bytes can be read, and ends where it should. */
static inline int mi_is_seen(const mi_glimpse *glimpse, const uint8_t *text, const uint8_t *p, int64_t room) {
    uint64_t first, second;
    int32_t size = glimpse->size;
    if (size >= room) return 0;
    memcpy(&first, p, 8);
    memcpy(&second, p + 8, 8);
    if (((first ^ glimpse->first) & glimpse->first_mask) | ((second ^ glimpse->second) & glimpse->second_mask)) return 0;
    if (size > MI_GLIMPSE_BYTES && memcmp(p + MI_GLIMPSE_BYTES, text + MI_GLIMPSE_BYTES, size - MI_GLIMPSE_BYTES))
        return 0;
    return *p == '"' || *p == '[' || *p == '{' || !(mi_classes[p[size]] & MI_BARE);
}

static inline void mi_remember(mi_glimpse *glimpse, const uint8_t *text, int64_t size, int64_t number) {
    if (size > INT32_MAX) return;
    memset(glimpse, 0, sizeof *glimpse);
    memcpy(&glimpse->first, text, size < 8 ? size : 8);
    memset(&glimpse->first_mask, 0xff, size < 8 ? size : 8);
    if (size > 8) {
        memcpy(&glimpse->second, text + 8, size < 16 ? size - 8 : 8);
        memset(&glimpse->second_mask, 0xff, size < 16 ? size - 8 : 8);
    }
    glimpse->number = (int32_t)number;
    glimpse->size = (int32_t)size;
}

/* A quick look at a text: equal for equal ones. */
static inline uint32_t mi_glance(const uint8_t *p, size_t n) {
    uint64_t first = 0, middle = 0, last = 0;
    if (n >= 8) {
        memcpy(&first, p, 8);
        memcpy(&middle, p + n / 2 - 4, 8);
        memcpy(&last, p + n - 8, 8);
    } else {
        memcpy(&first, p, n);
    }
    first = (first ^ (middle << 1) ^ (last << 2) ^ n) * 0x9E3779B97F4A7C15ull;
    return (uint32_t)(first >> 40);
}

static inline uint64_t mi_hash(const uint8_t *p, size_t n, uint64_t seed) {
    const uint64_t factor = 0x9E3779B97F4A7C15ull;
    uint64_t hash = seed ^ n * factor, word;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&word, p, 8);
        hash = (hash ^ word) * factor;
        hash ^= hash >> 29;
    }
    if (n) {
        word = 0;
        memcpy(&word, p, n);
        hash = (hash ^ word) * factor;
        hash ^= hash >> 29;
    }
    hash *= factor;
    return hash ^ hash >> 32;
}
