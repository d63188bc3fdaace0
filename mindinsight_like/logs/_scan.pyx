# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native version of `reference.scan`: the same records, points, blobs and damage from the same bytes, many times faster.

Read the reference first, it says what is done and why; names are the same here. One record is read without any Python
object, the loop of `feed` runs without the interpreter's lock, and only `take` makes arrays. The parts in `native/` are
included here, so that the compiler sees one module and can inline across them.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

MAX_RECORD = 2**31

include "native/crc.pxi"
include "native/field_numbers.pxi"
include "native/constants.pxi"
include "native/arena.pxi"
include "native/series.pxi"
include "native/values.pxi"
include "native/wire.pxi"
include "native/tensors.pxi"
include "native/tensorboard.pxi"
include "native/mindspore.pxi"
include "native/event.pxi"
include "native/visualdl.pxi"
include "native/tablet.pxi"
include "native/records.pxi"
include "native/grouping.pxi"

# Loaded by the first scanner, so that the writers get the checksum without paying for numpy.
cdef object _empty = None
cdef object _Batch = None
cdef object _describe = None
cdef object _STATS = None
cdef object _BLOCK = None
cdef object _START = None
cdef object _u4 = None
cdef object _i8 = None
cdef object _f4 = None
cdef object _f8 = None


cdef void load_numpy() except *:
    global _empty, _Batch, _describe, _STATS, _BLOCK, _START, _u4, _i8, _f4, _f8
    import numpy

    from mindinsight_like.logs import batch

    _u4, _i8, _f4, _f8 = (numpy.dtype(name) for name in ("u4", "i8", "f4", "f8"))
    _Batch, _describe = batch.Batch, batch.describe
    _STATS, _BLOCK, _START = batch.STATS, batch.BLOCK, batch.START
    _empty = numpy.empty


cdef void* memory_of(object array) except? NULL:
    """Where the elements of an array stand; the caller keeps the array alive."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_WRITABLE)
    cdef void* memory = view.buf
    PyBuffer_Release(&view)
    return memory


include "native/checksums.pxi"


cdef class Scanner:
    """Finds every value of one log file, fed piece by piece; see the reference."""

    cdef Scan scan
    cdef uint32_t dialect
    cdef bytes tag
    cdef size_t taken_keys
    cdef bint busy

    def __cinit__(self, dialect, keys=(), *, offset=0, damaged=False, tag=""):
        if not 0 <= dialect < DIALECTS:
            raise ValueError(f"{dialect} is not a valid Dialect")
        self.dialect = dialect
        self.tag = tag.encode(errors="replace")
        self.scan.offset = offset
        self.scan.damaged = damaged
        self.scan.last = NOWHERE
        cdef bytes key
        cdef const uint8_t* name
        for given in keys:
            key = bytes(given)
            name = <const uint8_t*><const char*>key
            if not key or name[0] >= KINDS:
                raise ValueError(f"{key!r} is no key of a series")
            if not add_key(&self.scan, name[0], name + 1, len(key) - 1, hash_of(name[0], name + 1, len(key) - 1)):
                raise MemoryError
        self.taken_keys = self.scan.key_count
        if _empty is None:
            load_numpy()

    def __dealloc__(self):
        free(self.scan.keys)
        free(self.scan.names)
        free(self.scan.slots)
        free(self.scan.scratch)
        free(self.scan.points)
        free(self.scan.blobs)
        free(self.scan.regions)

    @property
    def offset(self):
        """File position of the first byte not yet consumed."""
        return self.scan.offset

    @property
    def damaged(self):
        """True in a damaged region whose warning was already given."""
        return bool(self.scan.damaged)

    @property
    def wanted(self):
        """Bytes from `offset` that the next record needs, 0 when unknown."""
        return self.scan.wanted

    @property
    def pending(self):
        """Scalars and blobs found since the last `take`."""
        return self.scan.point_count + self.scan.blob_count

    @property
    def new_keys(self):
        """Series found since the last `take`."""
        return self.scan.key_count - self.taken_keys

    def __len__(self):
        """How many series are known."""
        return self.scan.key_count

    def __getitem__(self, number):
        """The key of a series by its number."""
        if not 0 <= number < self.scan.key_count:
            raise IndexError(f"no series {number}")
        cdef Key* key = &self.scan.keys[<size_t>number]
        return PyBytes_FromStringAndSize(<const char*>self.scan.names + key.at, key.size)

    def skip_zeros(self, count):
        """Go on behind `count` bytes from `offset` that are known to be zero; only inside damage."""
        if not self.scan.damaged:
            raise ValueError("every byte must be fed unless the scanner is in damaged data")
        self.scan.offset += max(0, count - ZEROS_FED)

    def feed(self, data, *, bint at_end):
        """Read whole records from bytes that begin at `offset`; returns how many bytes are done with.

        `at_end` says that the data reaches the present end of the file.
        """
        cdef Py_buffer view
        cdef const uint8_t* begin
        cdef const uint8_t* end
        cdef const uint8_t* tag = <const uint8_t*><const char*>self.tag
        cdef size_t tag_size = len(self.tag)
        cdef bint short_of_memory = False
        cdef Scan* scan = &self.scan
        self.enter()
        try:
            PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
            try:
                scan.wanted = 0
                scan.data = begin = end = <const uint8_t*>view.buf
                if view.len:
                    with nogil:
                        end = begin + view.len
                        if self.dialect == VISUALDL:
                            end = feed_lengths(scan, begin, end, at_end, &short_of_memory)
                        elif self.dialect == VISUALDL_LEGACY:
                            end = feed_tablet(scan, begin, end, tag, tag_size, &short_of_memory)
                        else:
                            end = feed_frames(scan, self.dialect, begin, end, at_end, &short_of_memory)
                scan.offset += end - begin
            finally:
                PyBuffer_Release(&view)
        finally:
            self.busy = False
        if short_of_memory:
            raise MemoryError
        return end - begin

    def take(self):
        """Everything found since the last call, grouped by series."""
        self.enter()
        try:
            return self.batch()
        finally:
            self.busy = False

    cdef void enter(self) except *:
        if self.busy:
            raise RuntimeError("a scanner belongs to one thread at a time")
        self.busy = True

    cdef object batch(self):
        cdef Scan* scan = &self.scan
        cdef Key* key
        cdef size_t index
        keys = []
        for index in range(self.taken_keys, scan.key_count):
            key = &scan.keys[index]
            keys.append(PyBytes_FromStringAndSize(<const char*>scan.names + key.at, key.size))
        damage = [
            _describe(scan.regions[index].offset, scan.regions[index].cause, scan.regions[index].skipped)
            for index in range(scan.region_count)
        ]
        cdef Group* groups = <Group*>calloc(scan.key_count + 1, sizeof(Group))
        if groups == NULL:
            raise MemoryError
        try:
            scalars = self.scalars(groups)
            starts = self.starts(groups)
            memset(groups, 0, scan.key_count * sizeof(Group))
            blobs = self.blobs(groups)
        finally:
            free(groups)
        self.taken_keys = scan.key_count
        scan.point_count = scan.blob_count = scan.region_count = 0
        scan.warned_here = False
        if scan.point_room > KEPT_POINTS:
            free(scan.points)
            scan.points = NULL
            scan.point_room = 0
        if scan.blob_room > KEPT_POINTS:
            free(scan.blobs)
            scan.blobs = NULL
            scan.blob_room = 0
        return _Batch(keys, *scalars, *blobs, *starts, damage)

    cdef tuple scalars(self, Group* groups):
        cdef Scan* scan = &self.scan
        cdef size_t present
        cdef size_t number
        cdef int64_t count, backwards, block_count
        cdef bint exact
        with nogil:
            count_points(scan, groups)
            present = present_groups(groups, scan.key_count, &block_count)
        numbers = _empty(present, _u4)
        starts = _empty(present + 1, _i8)
        cdef int64_t* starts_at = <int64_t*>memory_of(starts)
        count = place_groups(groups, scan.key_count, <uint32_t*>memory_of(numbers), starts_at)
        steps, walls, values = _empty(count, _i8), _empty(count, _f8), _empty(count, _f4)
        stats, blocks = _empty(present, _STATS), _empty(block_count, _BLOCK)
        cdef int64_t* steps_at = <int64_t*>memory_of(steps)
        cdef double* walls_at = <double*>memory_of(walls)
        cdef float* floats_at = <float*>memory_of(values)
        cdef double* doubles_at
        cdef Stats* stats_at = <Stats*>memory_of(stats)
        cdef Block* blocks_at = <Block*>memory_of(blocks)
        with nogil:
            exact = scatter_points(scan, groups, steps_at, walls_at, floats_at)
        if not exact:
            doubles = _empty(count, _f8)
            doubles_at = <double*>memory_of(doubles)
            with nogil:
                for number in range(scan.key_count):
                    groups[number].cursor = groups[number].start
                scatter_points(scan, groups, steps_at, walls_at, doubles_at)
        if exact:
            with nogil:
                backwards = summarise(starts_at, present, steps_at, walls_at, floats_at, stats_at, blocks_at)
        else:
            values = doubles
            with nogil:
                backwards = summarise(starts_at, present, steps_at, walls_at, doubles_at, stats_at, blocks_at)
        breaks = _empty(backwards, _i8)
        if backwards:
            find_breaks(starts_at, present, steps_at, <int64_t*>memory_of(breaks))
        return numbers, starts, steps, walls, values, stats, breaks, blocks

    cdef tuple starts(self, Group* groups):
        """The starts, and the sessions of the points where any start comes after one."""
        cdef Scan* scan = &self.scan
        cdef bint is_inside
        cdef size_t number
        starts = _empty(count_starts(scan, &is_inside), _START)
        list_starts(scan, <Start*>memory_of(starts))
        sessions = _empty(scan.point_count if is_inside else 0, _u4)
        if is_inside:
            for number in range(scan.key_count):
                groups[number].cursor = groups[number].start
            scatter_sessions(scan, groups, <uint32_t*>memory_of(sessions))
        return starts, sessions

    cdef tuple blobs(self, Group* groups):
        cdef Scan* scan = &self.scan
        cdef size_t index
        cdef int64_t block_count
        for index in range(scan.blob_count):
            groups[scan.blobs[index].number].count += 1
        cdef size_t present = present_groups(groups, scan.key_count, &block_count)
        numbers, starts = _empty(present, _u4), _empty(present + 1, _i8)
        cdef int64_t count = place_groups(
            groups, scan.key_count, <uint32_t*>memory_of(numbers), <int64_t*>memory_of(starts)
        )
        steps, walls, offsets, lengths = _empty(count, _i8), _empty(count, _f8), _empty(count, _i8), _empty(count, _i8)
        scatter_blobs(
            scan,
            groups,
            <int64_t*>memory_of(steps),
            <double*>memory_of(walls),
            <int64_t*>memory_of(offsets),
            <int64_t*>memory_of(lengths),
        )
        return numbers, starts, steps, walls, offsets, lengths
