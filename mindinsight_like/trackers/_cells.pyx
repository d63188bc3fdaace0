# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native version of `reference.cells`: the same columns from the same bytes.

Decimal numbers become doubles by the algorithm of Eisel and Lemire ("Number parsing at a gigabyte per second", 2021):
their digits times a power of five of 128 bits. Where that cannot tell how to round, Python's own parser does it.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memchr

import numpy

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    enum { CELL_EMPTY = 0, CELL_NUMBER = 1, CELL_TEXT = 2, CELL_HARD = 3 };
    enum { SMALLEST_POWER = -342, LARGEST_POWER = 308 };

    static uint64_t fives_high[LARGEST_POWER - SMALLEST_POWER + 1];
    static uint64_t fives_low[LARGEST_POWER - SMALLEST_POWER + 1];

    static const double exact_tens[] = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    static double from_bits(uint64_t bits) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }

    /* digits * 10^power as the nearest double, sign aside; 0 when this way cannot tell. */
    static int to_double(uint64_t digits, int64_t power, double* value) {
        if (digits == 0) {
            *value = 0.0;
            return 1;
        }
        if (digits <= (1ULL << 53) && power >= -22 && power <= 22) {
            *value = power < 0 ? (double)digits / exact_tens[-power] : (double)digits * exact_tens[power];
            return 1;
        }
        if (power < SMALLEST_POWER || power > LARGEST_POWER) return 0;
        int zeros = __builtin_clzll(digits);
        digits <<= zeros;
        unsigned __int128 product = (unsigned __int128)digits * fives_high[power - SMALLEST_POWER];
        uint64_t upper = (uint64_t)(product >> 64), lower = (uint64_t)product;
        if ((upper & 0x1FF) == 0x1FF) {
            uint64_t more = (uint64_t)(((unsigned __int128)digits * fives_low[power - SMALLEST_POWER]) >> 64);
            lower += more;
            if (lower < more) upper++;
        }
        if (lower == UINT64_MAX && (power < -27 || power > 55)) return 0;
        int top = (int)(upper >> 63);
        int shift = top + 64 - 52 - 3;
        uint64_t mantissa = upper >> shift;
        int64_t exponent = (((152170 + 65536) * power) >> 16) + 63 + top - zeros + 1023;
        if (exponent <= 0) return 0;
        if (lower <= 1 && power >= -4 && power <= 23 && (mantissa & 3) == 1 && (mantissa << shift) == upper)
            mantissa &= ~1ULL; /* exactly between two doubles: to the even one */
        mantissa = (mantissa + (mantissa & 1)) >> 1;
        if (mantissa >= (2ULL << 52)) {
            mantissa = 1ULL << 52;
            exponent++;
        }
        if (exponent >= 0x7FF) return 0;
        *value = from_bits((mantissa & ~(1ULL << 52)) | ((uint64_t)exponent << 52));
        return 1;
    }

    static int is_word(const char* at, const char* end, const char* word) {
        while (at < end && *word && (*at | 32) == *word) at++, word++;
        return at == end && !*word;
    }

    /* Adds the digits that begin here, eight at once where so many come; the place behind them. */
    static const char* add_digits(const char* at, const char* line_end, uint64_t* digits) {
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        while (line_end - at >= 8) {
            uint64_t eight;
            memcpy(&eight, at, 8);
            uint64_t each = eight - 0x3030303030303030ULL;
            if (((eight + 0x4646464646464646ULL) | each) & 0x8080808080808080ULL) break;
            each = each * 10 + (each >> 8);
            each = ((each & 0x000000FF000000FFULL) * 0x000F424000000064ULL +
                    ((each >> 16) & 0x000000FF000000FFULL) * 0x0000271000000001ULL) >> 32;
            *digits = *digits * 100000000 + each;
            at += 8;
        }
    #endif
        while (at < line_end && (unsigned)(*at - '0') <= 9) *digits = *digits * 10 + (uint64_t)(*at++ - '0');
        return at;
    }

    /* The end of a cell that is a number without blanks and quotes; nothing of other cells. */
    static const char* parse_plain(const char* at, const char* line_end, int separator, double* value) {
        uint64_t digits = 0;
        int64_t power = 0;
        int negative = at < line_end && *at == '-';
        at += negative;
        const char* first = at;
        at = add_digits(at, line_end, &digits);
        int64_t count = at - first;
        if (at < line_end && *at == '.') {
            const char* point = ++at;
            at = add_digits(at, line_end, &digits);
            power = point - at;
            count -= power;
        }
        if (count < 1 || count > 19) return 0;
        if (at < line_end && (*at | 32) == 'e') {
            int down = ++at < line_end && *at == '-';
            if (down || (at < line_end && *at == '+')) at++;
            const char* exponent_first = at;
            int64_t exponent = 0;
            while (at < line_end && (unsigned)(*at - '0') <= 9) exponent = exponent * 10 + (*at++ - '0');
            if (at == exponent_first || at - exponent_first > 4) return 0;
            power += down ? -exponent : exponent;
        }
        if ((at != line_end && *at != separator) || !to_double(digits, power, value)) return 0;
        if (negative) *value = -*value;
        return at;
    }

    /* What the bytes between two places are, blanks around them taken away. */
    static int parse_cell(const char* at, const char* end, double* value) {
        while (at < end && (*at == ' ' || *at == '\\t' || *at == '\\r')) at++;
        while (end > at && (end[-1] == ' ' || end[-1] == '\\t' || end[-1] == '\\r')) end--;
        if (at == end) return CELL_EMPTY;
        int negative = *at == '-';
        if (negative || *at == '+') at++;
        if (at == end) return CELL_TEXT;
        if ((unsigned)(*at - '0') > 9 && *at != '.') {
            double special;
            if (is_word(at, end, "nan")) special = from_bits(0x7FF8000000000000ULL);
            else if (is_word(at, end, "inf") || is_word(at, end, "infinity")) special = from_bits(0x7FF0000000000000ULL);
            else return CELL_TEXT;
            *value = negative ? -special : special;
            return CELL_NUMBER;
        }
        uint64_t digits = 0;
        int64_t power = 0;
        const char* first = at;
        while (at < end && (unsigned)(*at - '0') <= 9) digits = digits * 10 + (uint64_t)(*at++ - '0');
        int64_t count = at - first;
        if (at < end && *at == '.') {
            const char* point = ++at;
            while (at < end && (unsigned)(*at - '0') <= 9) digits = digits * 10 + (uint64_t)(*at++ - '0');
            power = point - at;
            count += at - point;
        }
        if (!count) return CELL_TEXT;
        if (at < end && (*at | 32) == 'e') {
            int64_t exponent = 0;
            at++;
            int down = at < end && *at == '-';
            if (down || (at < end && *at == '+')) at++;
            if (at == end) return CELL_TEXT;
            while (at < end && (unsigned)(*at - '0') <= 9) {
                if (exponent < 100000) exponent = exponent * 10 + (*at - '0');
                at++;
            }
            power += down ? -exponent : exponent;
        }
        if (at != end) return CELL_TEXT;
        if (count > 19) { /* zeros in front are no digits */
            for (; *first == '0' || *first == '.'; first++) count -= *first == '0';
            if (count > 19) return CELL_HARD;
        }
        if (!to_double(digits, power, value)) return CELL_HARD;
        if (negative) *value = -*value;
        return CELL_NUMBER;
    }
    """
    enum:
        CELL_NUMBER
        CELL_HARD
        SMALLEST_POWER
        LARGEST_POWER
    uint64_t[] fives_high
    uint64_t[] fives_low
    int parse_cell(const char* at, const char* end, double* value) noexcept nogil
    const char* parse_plain(const char* at, const char* line_end, int separator, double* value) noexcept nogil


def _fill_fives():
    """The first 128 bits of powers of five; reciprocals are rounded up."""
    for power in range(SMALLEST_POWER, LARGEST_POWER + 1):
        five = 5 ** abs(power)
        if power < 0:
            length = (five - 1).bit_length()
            five = (1 << (length + 127 if power >= -27 else 2 * length + 128)) // five + 1
        surplus = five.bit_length() - 128
        five = five >> surplus if surplus > 0 else five << -surplus
        fives_high[power - SMALLEST_POWER] = five >> 64
        fives_low[power - SMALLEST_POWER] = five & 0xFFFFFFFFFFFFFFFF


_fill_fives()


cdef inline const char* found(const char* at, const char* end, int byte) noexcept nogil:
    """Where the byte is, or the end."""
    cdef const char* place = <const char*> memchr(at, byte, end - at) if at < end else NULL
    return end if place == NULL else place


cdef inline const char* closing_quote(const char* at, const char* end) noexcept nogil:
    while True:
        at = found(at, end, 34)
        if at == end or at + 1 == end or at[1] != 34:
            return at
        at += 2


cdef bint is_blank(const char* at, const char* end) noexcept nogil:
    while at < end and (at[0] == 32 or at[0] == 9 or at[0] == 13):
        at += 1
    return at == end


def read_cells(bytes data, Py_ssize_t begin, Py_ssize_t end, int separator, Py_ssize_t columns):
    """See the reference."""
    if not 0 <= begin <= end <= PyBytes_GET_SIZE(data) or columns < 1:
        raise ValueError("no such part of the data")
    cdef const char* text = PyBytes_AS_STRING(data)
    cdef const char* at = text + begin
    cdef const char* stop = text + end
    cdef Py_ssize_t lines = data.count(b"\n", begin, end) + 1
    # A line that is kept has a separator for each column but the last.
    lines = min(lines, (end - begin + 1) // columns + 1)
    values_array = numpy.empty((columns, lines), numpy.float64)
    kinds_array = numpy.empty((columns, lines), numpy.uint8)
    starts_array = numpy.empty(lines, numpy.int64)
    cdef double[:, ::1] values = values_array
    cdef uint8_t[:, ::1] kinds = kinds_array
    cdef int64_t[::1] starts = starts_array
    cdef Py_ssize_t row = 0, column
    cdef const char* line
    cdef const char* line_end
    cdef const char* cell
    cdef const char* cell_end
    cdef const char* after
    cdef double value
    cdef int kind
    broken = []
    while at < stop:
        line = at
        line_end = found(at, stop, 10)
        at = line_end + 1
        if (line[0] <= 32 or line == line_end) and is_blank(line, line_end):
            continue
        column = 0
        cell = line
        while True:
            after = parse_plain(cell, line_end, separator, &value)
            if after != NULL:
                if column < columns:
                    values[column, row] = value
                    kinds[column, row] = CELL_NUMBER
                column += 1
                if after == line_end:
                    break
                cell = after + 1
                continue
            while cell < line_end and (cell[0] == 32 or cell[0] == 13 or cell[0] == 9) and cell[0] != separator:
                cell += 1
            if cell < line_end and cell[0] == 34:
                cell += 1
                cell_end = closing_quote(cell, line_end)
                after = found(cell_end, line_end, separator)
            else:
                cell_end = cell
                while cell_end < line_end and cell_end[0] != separator:
                    cell_end += 1
                after = cell_end
            if column < columns:
                value = 0
                kind = parse_cell(cell, cell_end, &value)
                if kind == CELL_HARD:
                    value = float(cell[: cell_end - cell])
                    kind = CELL_NUMBER
                values[column, row] = value
                kinds[column, row] = kind
            column += 1
            if after == line_end:
                break
            cell = after + 1
        if column == columns:
            starts[row] = line - text
            row += 1
        else:
            broken.append(line - text)
    return values_array[:, :row], kinds_array[:, :row], starts_array[:row], numpy.array(broken, numpy.int64)
