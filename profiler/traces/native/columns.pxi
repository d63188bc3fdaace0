# Columns that grow, and arrays that take their memory over. Included by _events.pyx.

cdef struct Column:
    char *data
    int64_t room  # bytes

cdef struct Sparse:
    Column row
    Column value
    int64_t count
    int64_t room

cdef struct Rows:
    int64_t count
    int64_t room
    Column phase
    Column time
    Column duration
    Column track
    Column name
    Column category
    Column place
    Sparse identity
    Sparse arguments[SLOTS]


cdef class Owner:
    """Memory that an array lies in."""

    cdef char *data
    cdef Py_ssize_t size

    def __dealloc__(self):
        free(self.data)

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        buffer.buf = self.data
        buffer.obj = self
        buffer.len = self.size
        buffer.readonly = 0
        buffer.itemsize = 1
        buffer.format = b"B"
        buffer.ndim = 1
        buffer.shape = &self.size
        buffer.strides = &buffer.itemsize
        buffer.suboffsets = NULL
        buffer.internal = NULL


cdef object array_of(Column *column, int64_t count, object dtype):
    """The column as an array, which owns the memory from now on."""
    cdef Owner owner = Owner.__new__(Owner)
    cdef char *fitting
    dtype = np.dtype(dtype)
    owner.size = count * dtype.itemsize
    if owner.size == 0:
        return np.empty(0, dtype)
    fitting = <char *>realloc(column.data, owner.size)
    owner.data = fitting if fitting != NULL else column.data
    column.data = NULL
    column.room = 0
    return np.frombuffer(owner, dtype)


cdef bint make_room(Column *column, int64_t size) noexcept nogil:
    """Whether the column has that many bytes now."""
    cdef char *data
    if size <= column.room:
        return True
    data = <char *>realloc(column.data, size)
    if data == NULL:
        return False
    column.data = data
    column.room = size
    return True


cdef inline bint grow(Column *column, int64_t size) noexcept nogil:
    """The same, with more than that, as it will not be the last time."""
    return size <= column.room or make_room(column, max(column.room + column.room // 2, size, 4096))
