# Tokens of JSON (`_tokens.h`), and the numbers in them. Included by _events.pyx.

cdef extern from "Python.h":
    double PyOS_string_to_double(const char *text, char **end, PyObject *overflow) except? -1.0

cdef extern from "_tokens.h":
    ctypedef struct mi_number:
        uint64_t digits
        int64_t exponent
        int is_negative
        int is_dropping
        const uint8_t *begin
        const uint8_t *end
    const uint8_t *MI_MORE
    const uint8_t *MI_WRONG
    bint MI_IS_BAD(const uint8_t *) nogil
    void mi_prepare() nogil
    const uint8_t *mi_space(const uint8_t *, const uint8_t *) nogil
    const uint8_t *mi_string(const uint8_t *, const uint8_t *) nogil
    const uint8_t *mi_skip(const uint8_t *, const uint8_t *, int) nogil
    bint mi_read_number(const uint8_t *, const uint8_t *, mi_number *) nogil
    bint mi_scale(const mi_number *, int, uint64_t *) nogil
    bint mi_is_simple(const mi_number *) nogil
    double mi_simple(const mi_number *) nogil
    const uint8_t *mi_usual_integer(const uint8_t *, const uint8_t *, int64_t *) nogil
    const uint8_t *mi_usual_time(const uint8_t *, const uint8_t *, int64_t *) nogil
    enum:
        MI_WORD_BYTES
        MI_GLIMPSE_BYTES
        MI_GLIMPSES
    ctypedef struct mi_word:
        int size
    ctypedef struct mi_member:
        mi_word key
        mi_word value
        int meaning
        mi_member *inner
        mi_member *other
    void mi_set_word(mi_word *, const uint8_t *, size_t) nogil
    mi_member *mi_recognised(const mi_member *, const uint8_t *) nogil
    bint mi_has_passed(const mi_member *, const uint8_t *) nogil
    const uint8_t *mi_pass(mi_member *, const uint8_t *, const uint8_t *, int) nogil
    int mi_lowest(uint64_t) nogil
    ctypedef struct mi_glimpse:
        int32_t number
        int32_t size
    mi_glimpse *mi_glimpse_of(mi_glimpse *, const uint8_t *) nogil
    bint mi_is_seen(const mi_glimpse *, const uint8_t *, const uint8_t *, int64_t) nogil
    void mi_remember(mi_glimpse *, const uint8_t *, int64_t, int64_t) nogil
    unsigned int mi_glance(const uint8_t *, size_t) nogil
    uint64_t mi_hash(const uint8_t *, size_t, uint64_t) nogil

mi_prepare()


cdef inline bint is_equal(const uint8_t *begin, const uint8_t *end, const char *word, int64_t size) noexcept nogil:
    return end - begin == size and memcmp(begin, word, size) == 0


cdef inline int64_t time_of(const uint8_t *begin, const uint8_t *end) noexcept nogil:
    cdef mi_number number
    cdef uint64_t magnitude
    if not mi_read_number(begin, end, &number) or not mi_scale(&number, 3, &magnitude) or magnitude >> 63:
        return INT64_MIN
    return -<int64_t>magnitude if number.is_negative else <int64_t>magnitude


cdef inline bint integer_of(const uint8_t *begin, const uint8_t *end, int64_t *integer) noexcept nogil:
    cdef mi_number number
    cdef uint64_t magnitude
    if not mi_read_number(begin, end, &number) or number.end != end - (begin[0] == c'"'):
        return False
    if not mi_scale(&number, 0, &magnitude):
        return False
    if number.is_negative:
        if magnitude > <uint64_t>1 << 63:
            return False
        integer[0] = <int64_t>(0 - magnitude)
    else:
        integer[0] = <int64_t>magnitude
    return True


cdef bint decimal_of(const uint8_t *begin, const uint8_t *end, double *decimal) noexcept nogil:
    cdef mi_number number
    cdef char text[LONGEST_NUMBER + 1]
    cdef int64_t size
    if not mi_read_number(begin, end, &number):
        return False
    size = number.end - number.begin
    if size > LONGEST_NUMBER:
        return False
    if mi_is_simple(&number):
        decimal[0] = mi_simple(&number)
        return True
    memcpy(text, number.begin, size)
    text[size] = 0
    with gil:
        try:
            decimal[0] = PyOS_string_to_double(text, NULL, NULL)
        except ValueError:
            return False
    return isfinite(decimal[0])
