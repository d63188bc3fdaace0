# Checksums of buffers as Python functions. Included by _scan.pyx.

def masked_crc32c(data):
    """CRC-32C (Castagnoli) of the bytes, rotated and shifted as TFRecord files store it."""
    cdef Py_buffer view
    cdef uint32_t crc
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    with nogil:
        crc = mi_masked_crc(<const uint8_t*>view.buf, <size_t>view.len)
    PyBuffer_Release(&view)
    return crc


def crc32c(data, uint32_t value=0):
    """CRC-32C (Castagnoli) of the bytes; `value` is that of the bytes before them."""
    cdef Py_buffer view
    cdef uint32_t crc
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    with nogil:
        crc = mi_crc_long(value, <const uint8_t*>view.buf, <size_t>view.len)
    PyBuffer_Release(&view)
    return crc


def chunk_checksums(data, size_t chunk_bytes):
    """The CRC-32C of each started chunk of the bytes; `chunk_bytes` is a multiple of eight."""
    if chunk_bytes == 0 or chunk_bytes % 8:
        raise ValueError(f"a chunk of {chunk_bytes} bytes is not a multiple of eight")
    if _u4 is None:
        load_numpy()
    cdef Py_buffer view
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        found = _empty((view.len + <Py_ssize_t>chunk_bytes - 1) // <Py_ssize_t>chunk_bytes, _u4)
        if view.len:
            fill_checksums(&view, chunk_bytes, <uint32_t*>memory_of(found))
    finally:
        PyBuffer_Release(&view)
    return found


cdef void fill_checksums(Py_buffer* view, size_t chunk_bytes, uint32_t* out) noexcept:
    with nogil:
        mi_crc_chunks(<const uint8_t*>view.buf, <size_t>view.len, chunk_bytes, out)
