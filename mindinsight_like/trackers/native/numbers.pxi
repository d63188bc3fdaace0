# Numbers in JSON. Included by _records.pyx.

cdef inline bint is_word(const uint8_t* p, size_t size, const char* word, size_t length) noexcept nogil:
    return size == length and memcmp(p, word, length) == 0


cdef bint word_of(const uint8_t* p, size_t size, double* value) noexcept nogil:
    cdef bint is_quoted = size > 1 and p[0] == c'"' and p[size - 1] == c'"'
    if is_quoted:
        p += 1
        size -= 2
    if is_word(p, size, b"NaN", 3):
        value[0] = NOT_A_NUMBER
    elif is_word(p, size, b"Infinity", 8):
        value[0] = INFINITE
    elif is_word(p, size, b"-Infinity", 9):
        value[0] = -INFINITE
    elif not is_quoted and is_word(p, size, b"true", 4):
        value[0] = 1.0
    elif not is_quoted and is_word(p, size, b"false", 5):
        value[0] = 0.0
    else:
        return False
    return True


cdef inline bint number_in(const uint8_t* begin, const uint8_t* end, double* value) noexcept nogil:
    """Whether a value is a number, and which."""
    cdef mi_decimal decimal
    cdef char text[LONGEST_NUMBER + 1]
    cdef size_t size = end - begin
    if size > LONGEST_NUMBER or not mi_read_decimal(begin, end, &decimal):
        return word_of(begin, size, value)
    if mi_likely(mi_nearest(&decimal, value)):
        return True
    memcpy(text, begin, size)
    text[size] = 0
    with gil:
        value[0] = PyOS_string_to_double(text, NULL, NULL)
    return True


cdef bint integer_in(const uint8_t* begin, const uint8_t* end, int64_t* value) noexcept nogil:
    cdef mi_decimal decimal
    cdef double number
    if end - begin <= 19 and mi_read_decimal(begin, end, &decimal) and decimal.is_integer:
        if end - begin - decimal.is_negative <= 18:
            value[0] = -<int64_t>decimal.digits if decimal.is_negative else <int64_t>decimal.digits
            return True
    if not number_in(begin, end, &number) or not fabs(number) < LARGEST_STEP:
        return False
    value[0] = <int64_t>number
    return True
