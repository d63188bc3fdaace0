# Numbers in TensorFlow's tensors of one element. Included by _scan.pyx.

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
    if dtype == DT_FLOAT and size == 4:
        value[0] = single_at(p)
    elif dtype == DT_DOUBLE and size == 8:
        value[0] = double_at(p)
    elif dtype == DT_INT32 and size == 4:
        value[0] = <double><int32_t>mi_load32(p)
    elif dtype == DT_UINT8 and size == 1:
        value[0] = <double>p[0]
    elif dtype == DT_INT16 and size == 2:
        value[0] = <double><short>mi_load16(p)
    elif dtype == DT_INT8 and size == 1:
        value[0] = <double><signed char>p[0]
    elif dtype == DT_INT64 and size == 8:
        value[0] = <double><int64_t>mi_load64(p)
    elif dtype == DT_BOOL and size == 1:
        value[0] = 1.0 if p[0] else 0.0
    elif dtype == DT_BFLOAT16 and size == 2:
        value[0] = <double>mi_single(<uint32_t>mi_load16(p) << 16)
    elif dtype == DT_UINT16 and size == 2:
        value[0] = <double>mi_load16(p)
    elif dtype == DT_HALF and size == 2:
        value[0] = half(mi_load16(p))
    elif dtype == DT_UINT32 and size == 4:
        value[0] = <double>mi_load32(p)
    elif dtype == DT_UINT64 and size == 8:
        value[0] = <double>mi_load64(p)
    else:
        return False
    return True


cdef uint32_t list_field(uint64_t dtype) noexcept nogil:
    """The field in which a tensor lists values of this type, 0 for types that are no numbers."""
    if dtype == DT_FLOAT:
        return TENSOR_FLOAT_VAL
    if dtype == DT_DOUBLE:
        return TENSOR_DOUBLE_VAL
    if dtype == DT_INT32 or dtype == DT_UINT8 or dtype == DT_INT16 or dtype == DT_INT8 or dtype == DT_UINT16:
        return TENSOR_INT_VAL
    if dtype == DT_INT64:
        return TENSOR_INT64_VAL
    if dtype == DT_BOOL:
        return TENSOR_BOOL_VAL
    if dtype == DT_BFLOAT16 or dtype == DT_HALF:
        return TENSOR_HALF_VAL
    if dtype == DT_UINT32:
        return TENSOR_UINT32_VAL
    if dtype == DT_UINT64:
        return TENSOR_UINT64_VAL
    return 0


cdef double listed_integer(uint64_t dtype, uint64_t number) noexcept nogil:
    if dtype == DT_INT64:
        return <double><int64_t>number
    if dtype == DT_BOOL:
        return 1.0 if number else 0.0
    if dtype == DT_BFLOAT16:
        return <double>mi_single(<uint32_t>(number & 0xFFFF) << 16)
    if dtype == DT_HALF:
        return half(<uint32_t>(number & 0xFFFF))
    if dtype == DT_UINT32:
        return <double><uint32_t>number
    if dtype == DT_UINT64:
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
    cdef size_t size = 4 if wanted == TENSOR_FLOAT_VAL else 8
    cdef uint32_t wire = FIXED32 if wanted == TENSOR_FLOAT_VAL else FIXED64 if wanted == TENSOR_DOUBLE_VAL else VARINT
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
                value[0] = single_at(field.begin) if wanted == TENSOR_FLOAT_VAL else double_at(field.begin)
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
        if field.id == SHAPE_DIM and field.wire == BYTES:
            size = 0
            q = field.begin
            while q < field.end:
                q = next_field(q, field.end, &part)
                if q == NULL:
                    return MALFORMED
                if part.id == SHAPE_DIM_SIZE and part.wire == VARINT:
                    size = part.number
            if size != 1:
                one[0] = False
        elif field.id == SHAPE_UNKNOWN_RANK and field.wire == VARINT and field.number:
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
        if field.id == TENSOR_DTYPE and field.wire == VARINT:
            dtype = field.number
        elif field.id == TENSOR_TENSOR_SHAPE and field.wire == BYTES:
            if field.end > field.begin and one_element(&field, &one) == MALFORMED:
                return MALFORMED
        elif field.id == TENSOR_TENSOR_CONTENT and field.wire == BYTES:
            content = field.begin
            size = <size_t>(field.end - field.begin)
    is_number[0] = False
    if not one or list_field(dtype) == 0:
        return FINE
    if size:
        is_number[0] = number_in_content(dtype, content, size, value)
        return FINE
    return listed_number(tensor, dtype, is_number, value)
