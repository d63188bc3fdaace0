# cython: language_level=3, boundscheck=False, wraparound=False, freethreading_compatible=False
"""The same as `reference.slices`, compiled: what a training pays for recording by hand."""

from threading import local
from time import perf_counter_ns

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t

from mindinsight_like.profiler.training.reference.slices import CAPACITY as _CAPACITY
from mindinsight_like.profiler.training.reference.slices import decorated, elsewhere, entered, left

cdef enum:
    MOST_ROWS = 2048

CAPACITY = MOST_ROWS
assert CAPACITY == _CAPACITY


cdef class Rows:
    """Slices that one thread has ended and nobody has taken yet: start, end and operator each."""

    cdef readonly Py_ssize_t count
    cdef readonly object track
    cdef Py_ssize_t _taken
    cdef int64_t[MOST_ROWS * 3] _buffer

    def __init__(self, track):
        self.track = track
        self.count = 0
        self._taken = 0

    def take(self, bint is_owner):
        """Rows not taken before; the thread that fills them makes room, too. One caller at a time."""
        cdef Py_ssize_t count = self.count
        found = PyBytes_FromStringAndSize(<char*>(self._buffer + self._taken * 3), (count - self._taken) * 24)
        self._taken = count
        if is_owner:
            self.count = self._taken = 0
        return found


cdef class Target:
    """Where slices are recorded; a recorder is one."""

    cdef public int64_t due  # on the clock: rows are then taken, full or not
    cdef public bint is_closed
    cdef object _rows
    cdef dict _numbers

    def __init__(self):
        self.due = 0
        self.is_closed = False
        self.forget()

    def define(self, operator):
        """The number of an operator, given its name, type and shape, that was not used before."""
        raise NotImplementedError

    def new_rows(self):
        """Rows for the calling thread."""
        raise NotImplementedError

    def flush(self):
        """Take all rows away."""
        raise NotImplementedError

    cpdef forget(self):
        """Begin with new rows and numbers, as a forked process does."""
        self._rows = local()
        self._numbers = {}

    cpdef add(self, int64_t start, int64_t end, tuple operator):
        """Record a slice of the calling thread."""
        cdef Rows rows
        cdef Py_ssize_t count
        if self.is_closed:
            return
        try:
            rows = self._rows.rows
        except AttributeError:
            rows = self._rows.rows = self.new_rows()
        try:
            number = self._numbers.get(operator)
        except TypeError:  # a list for a shape, and other things that are no keys
            operator = tuple(map(str, operator))
            number = self._numbers.get(operator)
        if number is None:
            number = self._numbers[operator] = self.define(operator)
        count = rows.count
        if count == MOST_ROWS:
            return  # a signal has come while this very thread was making room
        rows._buffer[count * 3] = start
        rows._buffer[count * 3 + 1] = end
        rows._buffer[count * 3 + 2] = number
        rows.count = count + 1
        if count + 1 == MOST_ROWS or end > self.due:
            self.flush()


cdef class Switch:
    """Where slices go at present: to a recorder, to marks of a framework's profiler, or nowhere."""

    cdef public Target target
    cdef public object mark
    cdef public object owner  # gives the profiler, or None once it is gone


cdef class Slice:
    """One operation: as a context it is recorded once, as a decorator at every call.

    An object serves one block at a time; the decorator takes new ones, so functions may recurse.
    """

    cdef Switch _switch
    cdef tuple _operator
    cdef Target _target
    cdef object _mark
    cdef int64_t _start

    def __init__(self, Switch switch, name, type, shape):
        self._switch = switch
        self._operator = (name, type, shape)
        self._start = 0

    def __enter__(self):
        cdef Switch switch = self._switch
        self._target = switch.target
        if self._target is not None:
            self._start = perf_counter_ns()
        elif switch.mark is not None:
            self._mark = entered(switch.mark, self._operator)
        return self

    def __exit__(self, kind, error, trace):
        if self._target is not None:
            self._target.add(self._start, perf_counter_ns(), self._operator)
        elif self._mark is not None:
            mark = self._mark
            self._mark = None
            left(mark)

    def __call__(self, function):
        return decorated(function, self._again)

    def __reduce__(self):
        # In another process it records as the profiler does there.
        return elsewhere, (self._switch.owner() if self._switch.owner is not None else None, *self._operator)

    def _again(self):
        return Slice(self._switch, *self._operator)
