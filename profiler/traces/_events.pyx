# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=False
"""Native twin of `events_twin`: the same columns and the same damage from the same bytes, many times faster.

Read the twin first, it says what is done and why; names are the same here. Functions that read a token take pointers
to it and to the end of the data, and return a pointer behind it, or MORE or WRONG (`_tokens.h`). No Python object is
made for an event, `feed` runs without the interpreter's lock, and `take` hands the columns over without copying them.

What makes it quick is memory of what was read before (`members`, `seen`, `glimpsed`): keys, passed values and texts are
compared with the ones that stood there last time, and only looked at byte by byte where they differ.
"""

import os

import numpy as np

from .event_rows import Found, FoundRows, Kind
from .event_rows import MOST_ARGUMENTS as _MOST_ARGUMENTS
from .event_rows import MOST_DEPTH as _MOST_DEPTH
from .event_rows import MOST_EVENT_BYTES as _MOST_EVENT_BYTES
from .event_rows import MOST_ROOT_BYTES as _MOST_ROOT_BYTES
from .event_rows import MOST_ROOT_VALUES as _MOST_ROOT_VALUES

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.math cimport isfinite
from libc.stdint cimport INT32_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

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

cdef enum:
    START, ROOT, EVENTS, END, LOST
cdef enum:
    INTEGER, DECIMAL, TIME, TEXT
cdef enum:  # what the value of a key is
    PASSED, PHASE, BEGIN, DURATION, PROCESS, THREAD, NAME, CATEGORY, IDENTITY, ARGUMENTS, FIRST_ARGUMENT
cdef enum:  # the first members: two that stand before all others, and one for all that are not remembered
    OF_EVENT, OF_ARGUMENTS, FORGOTTEN, FIRST_MEMBER
cdef enum:
    SLOTS = 64  # at least MOST_ARGUMENTS
    MOST_MEMBERS = 1024
    MOST_OTHERS = 8  # members that followed the same one
    GLANCES = 4096
    MOST_DAMAGE = 100
    MOST_WITHOUT = 16
    LONGEST_NUMBER = 400
    ENOUGH_TO_FORESEE = 32768
    MOST_FORESEEN = 1000

cdef int MOST_DEPTH = _MOST_DEPTH
cdef int64_t MOST_EVENT_BYTES = _MOST_EVENT_BYTES
cdef int64_t MOST_ROOT_BYTES = _MOST_ROOT_BYTES
cdef int64_t MOST_ROOT_VALUES = _MOST_ROOT_VALUES

cdef struct Span:
    const uint8_t *begin  # NULL for none
    const uint8_t *end
    int64_t number  # of the text, -1 while unknown
    mi_glimpse *glimpse  # where to remember it, NULL for nowhere

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

cdef struct Event:
    uint8_t phase
    int64_t time
    int64_t duration
    Span process
    Span thread
    Span name
    Span category
    Span identity
    bint is_numbered  # the identity is an integer
    int64_t identity_number
    const uint8_t *arguments  # where they begin, NULL for none
    uint64_t present  # a bit for each argument
    int64_t integers[SLOTS]
    double decimals[SLOTS]
    Span texts[SLOTS]

cdef struct Known:
    uint64_t hash
    int64_t at  # in the letters
    int64_t size


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


cdef class EventScanner:
    """Finds every event of one file, fed piece by piece; `arguments` are keys of `args` with their kinds.

    Arrows (phases s, t, f) whose names are the tokens `without` are only counted.
    """

    cdef Rows tables[2]  # slices, others
    cdef Event event
    cdef mi_member members[MOST_MEMBERS]  # a tree of what followed what
    cdef int member_count
    cdef int kinds[SLOTS]
    cdef Span keys[SLOTS]
    cdef int count
    cdef Span without[MOST_WITHOUT]
    cdef int without_count
    cdef int64_t arrows_left_out
    cdef Column counter_row, counter_name, counter_value
    cdef int64_t counters
    cdef Column letters, known, table
    cdef int32_t seen[GLANCES]  # 1 + number of the text that was last seen with this glance
    cdef mi_glimpse glimpses[MI_GLIMPSES]
    cdef int64_t letter_count, text_count, table_size
    cdef uint64_t seed
    cdef Column track_pairs, track_table
    cdef int64_t track_count, track_table_size
    cdef double to_come  # how many times what was found may follow
    cdef int64_t damages, nameless, cut_bytes, offset, lost_from
    cdef bint is_cut, is_bare, is_open_end, at_end, is_without_memory
    cdef int state
    cdef uint8_t before
    cdef const uint8_t *data
    cdef const uint8_t *end
    cdef const uint8_t *item
    cdef object key_bytes, without_bytes, root, damage

    def __cinit__(self, arguments, without=()):
        cdef int number
        cdef const uint8_t *key
        if len(arguments) > _MOST_ARGUMENTS:
            raise ValueError(f"at most {_MOST_ARGUMENTS} arguments can be asked for")
        self.key_bytes = [bytes(each) for each, _ in arguments]
        self.count = len(arguments)
        for number in range(self.count):
            self.kinds[number] = Kind(arguments[number][1])
            key = <const uint8_t *>(<bytes>self.key_bytes[number])
            self.keys[number].begin = key
            self.keys[number].end = key + len(self.key_bytes[number])
        self.without_bytes = [bytes(each) for each in without]
        if len(self.without_bytes) > MOST_WITHOUT:
            raise ValueError(f"at most {MOST_WITHOUT} names of arrows can be left out")
        for each in self.without_bytes:
            self.without[self.without_count].begin = <const uint8_t *>(<bytes>each)
            self.without[self.without_count].end = self.without[self.without_count].begin + len(each)
            self.without_count += 1
        self.member_count = FIRST_MEMBER
        self.seed = int.from_bytes(os.urandom(8), "little")  # so that nobody can choose texts that collide
        self.root = {}
        self.damage = []

    def __dealloc__(self):
        cdef Rows *rows
        cdef int table, number
        for table in range(2):
            rows = &self.tables[table]
            for column in (
                <size_t>&rows.phase, <size_t>&rows.time, <size_t>&rows.duration, <size_t>&rows.track,
                <size_t>&rows.name, <size_t>&rows.category, <size_t>&rows.place,
                <size_t>&rows.identity.row, <size_t>&rows.identity.value,
            ):
                free((<Column *><size_t>column).data)
            for number in range(self.count):
                free(rows.arguments[number].row.data)
                free(rows.arguments[number].value.data)
        for column in (
            <size_t>&self.counter_row, <size_t>&self.counter_name, <size_t>&self.counter_value,
            <size_t>&self.letters, <size_t>&self.known, <size_t>&self.table,
            <size_t>&self.track_pairs, <size_t>&self.track_table,
        ):
            free((<Column *><size_t>column).data)

    def feed(self, data, *, bint at_end, double share=1.0):
        """Read all whole events from bytes that follow the ones done with; returns how many bytes are done with.

        `at_end` says that the file has no more, `share` how much of it has come (0 to 1).
        """
        cdef Py_buffer view
        cdef int64_t done
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            self.data = self.item = <const uint8_t *>view.buf
            self.end = self.data + view.len
            self.at_end = at_end
            self.to_come = min(MOST_FORESEEN, 1.05 / share - 1.0) if share > 0 else 0.0
            with nogil:
                self.run()
            done = self.item - self.data
            self.offset += done
            if self.is_without_memory:
                raise MemoryError("no memory is left for the events of this file")
            if at_end:
                self.finish()
        finally:
            PyBuffer_Release(&view)
            self.data = self.item = self.end = NULL
        return done

    def take(self):
        """Everything read; the scanner is empty afterwards."""
        cdef int64_t number
        cdef Known *known = <Known *>self.known.data
        cdef int64_t *pairs = <int64_t *>self.track_pairs.data
        texts = [
            PyBytes_FromStringAndSize(self.letters.data + known[number].at, known[number].size)
            for number in range(self.text_count)
        ]
        tracks = [(pairs[2 * number], pairs[2 * number + 1]) for number in range(self.track_count)]
        found = Found(
            slices=self.rows(&self.tables[0]),
            others=self.rows(&self.tables[1]),
            counters=(
                array_of(&self.counter_row, self.counters, np.int32),
                array_of(&self.counter_name, self.counters, np.int32),
                array_of(&self.counter_value, self.counters, np.float64),
            ),
            tracks=tracks,
            texts=texts,
            root=list(self.root.items()),
            is_cut=self.is_cut,
            cut_bytes=self.cut_bytes,
            damages=self.damages,
            damage=self.damage,
            nameless=self.nameless,
            arrows_left_out=self.arrows_left_out,
        )
        self.counters = 0
        return found

    cdef object rows(self, Rows *rows):
        cdef int number
        cdef Sparse *sparse
        count = rows.count
        arguments = []
        for number in range(self.count):
            sparse = &rows.arguments[number]
            dtype = (np.int64, np.float64, np.int64, np.int32)[self.kinds[number]]
            arguments.append(
                (array_of(&sparse.row, sparse.count, np.int32), array_of(&sparse.value, sparse.count, dtype))
            )
            sparse.count = sparse.room = 0
        found = FoundRows(
            array_of(&rows.phase, count, np.uint8),
            array_of(&rows.time, count, np.int64),
            array_of(&rows.duration, count, np.int64),
            array_of(&rows.track, count, np.int32),
            array_of(&rows.name, count, np.int32),
            array_of(&rows.category, count, np.int32),
            array_of(&rows.place, count, np.int64),
            (
                array_of(&rows.identity.row, rows.identity.count, np.int32),
                array_of(&rows.identity.value, rows.identity.count, np.int64),
            ),
            arguments,
        )
        rows.count = rows.room = rows.identity.count = rows.identity.room = 0
        return found

    # --- steps; each gives MORE, WRONG, or where to go on -----------------------------------------------------------

    cdef void run(self) noexcept nogil:
        cdef const uint8_t *after
        cdef int64_t rest
        while not self.is_without_memory:
            if self.state == EVENTS:
                after = self.in_events()
            elif self.state == LOST:
                after = self.find()
            elif self.state == ROOT:
                after = self.in_root()
            elif self.state == START:
                after = self.start()
            else:
                after = self.behind()
            if after == MI_WRONG:
                self.lose(False)
            elif after == MI_MORE:
                rest = self.end - self.item
                if self.state == LOST or rest == 0:
                    return
                if rest > MOST_EVENT_BYTES:
                    self.lose(False)
                elif self.at_end:
                    self.lose(True)
                else:
                    return
            else:
                self.item = after

    cdef const uint8_t *start(self) noexcept nogil:
        cdef uint8_t first
        if self.offset == 0 and self.item == self.data:
            if self.end - self.item >= 3:
                if memcmp(self.item, b"\xef\xbb\xbf", 3) == 0:
                    self.item += 3
            elif not self.at_end:
                return MI_MORE
        self.item = mi_space(self.item, self.end)
        if self.item == self.end:
            return MI_MORE
        first = self.item[0]
        self.is_bare = first != c"{"
        if first != c"{" and first != c"[":
            return MI_WRONG
        self.state = EVENTS if self.is_bare else ROOT
        return self.item + 1

    cdef const uint8_t *in_root(self) noexcept nogil:
        cdef const uint8_t *begin
        cdef const uint8_t *key_end
        cdef const uint8_t *value
        cdef const uint8_t *inner
        cdef const uint8_t *after
        begin = self.item = self.space_or_commas()
        if begin == self.end:
            return MI_MORE
        if begin[0] == c"}":
            self.state = END
            return begin + 1
        if begin[0] != c'"':
            return MI_WRONG
        key_end = mi_string(begin, self.end)
        if MI_IS_BAD(key_end):
            return key_end
        value = mi_space(key_end, self.end)
        if value == self.end:
            return MI_MORE
        if value[0] != c":":
            return MI_WRONG
        value = mi_space(value + 1, self.end)
        if value == self.end:
            return MI_MORE
        if value[0] == c"[":
            if is_equal(begin, key_end, b'"traceEvents"', 13):
                self.state = EVENTS
                return value + 1
            inner = mi_space(value + 1, self.end)
            if inner == self.end:
                return MI_MORE
            if inner[0] == c"{":
                after = self.read(inner)
                if after == MI_MORE:
                    return MI_MORE
                if after != MI_WRONG and self.event.phase:
                    self.state = EVENTS
                    return value + 1
        after = mi_skip(value, self.end, MOST_DEPTH)
        if MI_IS_BAD(after):
            return after
        if after - begin > MOST_EVENT_BYTES:
            return MI_WRONG
        if after - begin <= MOST_ROOT_BYTES:
            with gil:
                if len(self.root) < MOST_ROOT_VALUES:
                    key = PyBytes_FromStringAndSize(<const char *>begin, key_end - begin)
                    self.root[key] = PyBytes_FromStringAndSize(<const char *>value, after - value)
        return after

    cdef const uint8_t *in_events(self) noexcept nogil:
        cdef const uint8_t *begin
        cdef const uint8_t *after
        begin = self.item = self.space_or_commas()
        if begin == self.end:
            return MI_MORE
        if begin[0] != c"{":
            if begin[0] != c"]":
                return MI_WRONG
            self.state = END if self.is_bare else ROOT
            return begin + 1
        after = self.read(begin)
        if MI_IS_BAD(after):
            return after
        if self.event.phase:
            self.add(begin)
        else:
            self.nameless += 1
        return after

    cdef const uint8_t *behind(self) noexcept nogil:
        self.item = mi_space(self.item, self.end)
        return MI_MORE if self.item == self.end else MI_WRONG

    cdef const uint8_t *find(self) noexcept nogil:
        """Look for the next event."""
        cdef const uint8_t *position = self.item
        cdef const uint8_t *begin
        cdef const uint8_t *back
        cdef const uint8_t *after
        while True:
            begin = <const uint8_t *>memchr(position, c"{", self.end - position)
            self.item = self.end if begin == NULL else begin
            back = self.item
            while back > position:
                back -= 1
                if back[0] != c" " and back[0] != c"\t" and back[0] != c"\r" and back[0] != c"\n":
                    self.before = back[0]
                    break
            if begin == NULL:
                return MI_MORE
            after = MI_WRONG
            if self.before != c":":
                after = mi_space(begin + 1, self.end)
                if after == self.end:
                    after = MI_MORE
                else:
                    after = self.read(begin) if after[0] == c'"' else MI_WRONG
            if after == MI_MORE and not self.at_end and self.end - begin <= MOST_EVENT_BYTES:
                return MI_MORE
            if MI_IS_BAD(after):
                self.before = c"{"
                position = begin + 1
                continue
            if self.event.phase:
                break
            self.before = c"}"
            position = after
        self.note_damage(self.offset + (begin - self.data))
        self.state = EVENTS
        self.add(begin)
        return after

    cdef void lose(self, bint is_open_end) noexcept nogil:
        self.state = LOST
        self.lost_from = self.offset + (self.item - self.data)
        self.is_open_end = is_open_end
        self.before = self.item[0]
        self.item += 1

    cdef void note_damage(self, int64_t end) noexcept nogil:
        self.damages += 1
        if self.damages <= MOST_DAMAGE:
            with gil:
                self.damage.append((self.lost_from, end - self.lost_from))

    cdef void finish(self):
        if self.state != LOST:
            self.is_cut = self.state == START or self.state == ROOT or (self.state == EVENTS and not self.is_bare)
        elif self.is_open_end:
            self.is_cut = True
            self.cut_bytes = self.offset - self.lost_from
        else:
            self.note_damage(self.offset)

    cdef inline const uint8_t *space_or_commas(self) noexcept nogil:
        cdef const uint8_t *p = mi_space(self.item, self.end)
        while p < self.end and p[0] == c",":
            p = mi_space(p + 1, self.end)
        return p

    # --- events -----------------------------------------------------------------------------------------------------

    cdef const uint8_t *read(self, const uint8_t *begin) noexcept nogil:
        """Reads the object there into `event`."""
        cdef Event *event = &self.event
        cdef const uint8_t *after
        event.phase = 0
        event.time = event.duration = INT64_MIN
        event.process.begin = event.thread.begin = event.name.begin = event.category.begin = NULL
        event.identity.begin = event.arguments = NULL
        event.present = 0
        after = self.read_members(begin, OF_EVENT)
        return MI_WRONG if not MI_IS_BAD(after) and after - begin > MOST_EVENT_BYTES else after

    cdef const uint8_t *read_members(self, const uint8_t *begin, int root) noexcept nogil:
        cdef const uint8_t *end = self.end
        cdef const uint8_t *key = mi_space(begin + 1, end)
        cdef const uint8_t *value
        cdef const uint8_t *after
        cdef mi_member *before = &self.members[root]
        cdef mi_member *member
        cdef int meaning
        while True:
            member = mi_recognised(before, key) if end - key >= 2 * MI_WORD_BYTES else NULL
            if member != NULL:
                meaning = member.meaning
                value = key + member.key.size
                if meaning == PASSED and mi_has_passed(member, value):
                    after = value + member.value.size
                    if (after - 1)[0] == c"," and after[0] == c'"':  # the next key, without a look at anything between
                        before = member
                        key = after
                        continue
            else:
                if key == end:
                    return MI_MORE
                if key[0] == c"}":
                    return key + 1
                if key[0] != c'"':
                    return MI_WRONG
                after = mi_string(key, end)
                if MI_IS_BAD(after):
                    return after
                value = mi_space(after, end)
                if value == end:
                    return MI_MORE
                if value[0] != c":":
                    return MI_WRONG
                value += 1
                meaning = self.meaning(key + 1, after - 1, root)
                member = self.learn(before, key, value if value == after + 1 else NULL, meaning)
            before = member
            value = mi_space(value, end)
            if value == end:
                return MI_MORE
            if meaning == PASSED:
                after = mi_pass(member, value, end, MOST_DEPTH)
            elif meaning >= FIRST_ARGUMENT:
                after = self.read_argument(meaning - FIRST_ARGUMENT, value)
            else:
                after = self.read_member(meaning, value)
            if MI_IS_BAD(after):
                return after
            if end - after >= 2 and after[0] == c"," and after[1] == c'"':
                key = after + 1
                continue
            key = mi_space(after, end)
            if key == end:
                return MI_MORE
            if key[0] == c",":
                key = mi_space(key + 1, end)
            elif key[0] == c"}":
                return key + 1
            else:
                return MI_WRONG

    cdef int meaning(self, const uint8_t *key, const uint8_t *end, int root) noexcept nogil:
        cdef int number
        if root == OF_ARGUMENTS:
            for number in range(self.count):
                if is_equal(key, end, <const char *>self.keys[number].begin,
                            self.keys[number].end - self.keys[number].begin):
                    return FIRST_ARGUMENT + number
        elif is_equal(key, end, b"ph", 2):
            return PHASE
        elif is_equal(key, end, b"ts", 2):
            return BEGIN
        elif is_equal(key, end, b"dur", 3):
            return DURATION
        elif is_equal(key, end, b"pid", 3):
            return PROCESS
        elif is_equal(key, end, b"tid", 3):
            return THREAD
        elif is_equal(key, end, b"name", 4):
            return NAME
        elif is_equal(key, end, b"cat", 3):
            return CATEGORY
        elif is_equal(key, end, b"id", 2):
            return IDENTITY
        elif is_equal(key, end, b"args", 4):
            return ARGUMENTS
        return PASSED

    cdef mi_member *learn(self, mi_member *before, const uint8_t *key, const uint8_t *value, int meaning) noexcept nogil:
        """Remembers that this key, up to its value (NULL for none), followed a member; returns the new one."""
        cdef mi_member **place = &before.inner
        cdef mi_member *member = &self.members[FORGOTTEN]
        cdef int others = 0
        while place[0] != NULL:
            place = &place[0].other
            others += 1
        if (
            value == NULL
            or value - key > MI_WORD_BYTES
            or before == member
            or others == MOST_OTHERS
            or self.member_count == MOST_MEMBERS
        ):
            return member
        member = place[0] = &self.members[self.member_count]
        self.member_count += 1
        mi_set_word(&member.key, key, value - key)
        member.meaning = meaning
        return member

    cdef inline const uint8_t *read_member(self, int meaning, const uint8_t *value) noexcept nogil:
        cdef Event *event = &self.event
        cdef const uint8_t *after
        if meaning == BEGIN:
            return self.read_time(value, &event.time)
        if meaning == DURATION:
            return self.read_time(value, &event.duration)
        if meaning == PROCESS:
            return self.read_word(value, &event.process)
        if meaning == THREAD:
            return self.read_word(value, &event.thread)
        if meaning == NAME:
            return self.read_word(value, &event.name)
        if meaning == CATEGORY:
            return self.read_word(value, &event.category)
        if meaning == IDENTITY:
            return self.read_identity(value)
        if meaning == ARGUMENTS:
            event.present = 0
            event.arguments = NULL
            if value[0] == c"{":
                event.arguments = value
                return self.read_members(value, OF_ARGUMENTS)
        after = mi_skip(value, self.end, MOST_DEPTH)
        if meaning == PHASE and not MI_IS_BAD(after):
            event.phase = value[1] if value[0] == c'"' and after - value > 2 else 0
        return after

    cdef inline const uint8_t *read_time(self, const uint8_t *value, int64_t *time) noexcept nogil:
        cdef const uint8_t *after = mi_usual_time(value, self.end, time)
        if after == MI_MORE:
            after = mi_skip(value, self.end, MOST_DEPTH)
            if not MI_IS_BAD(after):
                time[0] = time_of(value, after)
        return after

    cdef inline const uint8_t *read_word(self, const uint8_t *value, Span *span) noexcept nogil:
        """A text, where null stands for none."""
        cdef const uint8_t *after = self.read_text(value, span)
        if value[0] == c"n" and not MI_IS_BAD(after) and is_equal(value, after, b"null", 4):
            span.begin = NULL
        return after

    cdef inline const uint8_t *read_text(self, const uint8_t *value, Span *span) noexcept nogil:
        """A text that was seen before is known by its beginning, without looking for its end."""
        cdef const uint8_t *after
        cdef int64_t room = self.end - value
        cdef Known *known
        span.number = -1
        span.glimpse = NULL
        if room >= MI_GLIMPSE_BYTES:
            span.glimpse = mi_glimpse_of(self.glimpses, value)
            if span.glimpse.size:
                known = &(<Known *>self.known.data)[span.glimpse.number]
                if mi_is_seen(span.glimpse, <const uint8_t *>self.letters.data + known.at, value, room):
                    span.begin = value
                    span.end = value + span.glimpse.size
                    span.number = span.glimpse.number
                    return span.end
        after = mi_skip(value, self.end, MOST_DEPTH)
        if not MI_IS_BAD(after):
            span.begin = value
            span.end = after
        return after

    cdef const uint8_t *read_identity(self, const uint8_t *value) noexcept nogil:
        cdef Event *event = &self.event
        cdef const uint8_t *after = mi_usual_integer(value, self.end, &event.identity_number)
        event.is_numbered = after != MI_MORE
        if event.is_numbered:
            event.identity.begin = value
            return after
        after = self.read_word(value, &event.identity)
        if not MI_IS_BAD(after):
            event.is_numbered = integer_of(value, after, &event.identity_number)
        return after

    cdef inline const uint8_t *read_argument(self, int number, const uint8_t *value) noexcept nogil:
        cdef Event *event = &self.event
        cdef int kind = self.kinds[number]
        cdef const uint8_t *after
        cdef bint is_there = True
        if kind == TEXT:
            after = self.read_text(value, &event.texts[number])
        elif kind == TIME:
            after = self.read_time(value, &event.integers[number])
            is_there = event.integers[number] != INT64_MIN
        else:
            after = mi_usual_integer(value, self.end, &event.integers[number]) if kind == INTEGER else MI_MORE
            if after == MI_MORE:
                after = mi_skip(value, self.end, MOST_DEPTH)
                if MI_IS_BAD(after):
                    return after
                if kind == INTEGER:
                    is_there = integer_of(value, after, &event.integers[number])
                else:
                    is_there = decimal_of(value, after, &event.decimals[number])
        if is_there:
            event.present |= <uint64_t>1 << number
        else:
            event.present &= ~(<uint64_t>1 << number)
        return after

    cdef void add(self, const uint8_t *begin) noexcept nogil:
        cdef Event *event = &self.event
        cdef Rows *rows = &self.tables[event.phase != c"X"]
        cdef int64_t row = rows.count
        cdef int64_t process, thread
        cdef uint64_t present
        cdef int number
        if self.without_count and self.is_left_out():
            self.arrows_left_out += 1
            return
        if row == rows.room and not self.make_rows(rows):
            self.is_without_memory = True
            return
        process = self.text(&event.process)
        thread = self.text(&event.thread)
        (<uint8_t *>rows.phase.data)[row] = event.phase
        (<int64_t *>rows.time.data)[row] = event.time
        (<int64_t *>rows.duration.data)[row] = event.duration
        (<int32_t *>rows.track.data)[row] = <int32_t>self.track(process, thread)
        (<int32_t *>rows.name.data)[row] = <int32_t>self.text(&event.name)
        (<int32_t *>rows.category.data)[row] = <int32_t>self.text(&event.category)
        (<int64_t *>rows.place.data)[row] = self.offset + (begin - self.data)
        rows.count += 1
        if event.identity.begin != NULL:
            if not event.is_numbered:
                event.identity_number = -2 - self.text(&event.identity)
            self.append(&rows.identity, row, 8)
            if not self.is_without_memory:
                (<int64_t *>rows.identity.value.data)[rows.identity.count - 1] = event.identity_number
        present = event.present
        while present:
            number = mi_lowest(present)
            self.add_argument(&rows.arguments[number], number, row)
            present &= present - 1
        if event.phase == c"C" and event.arguments != NULL:
            self.add_counters(row)

    cdef inline bint is_left_out(self) noexcept nogil:
        cdef Event *event = &self.event
        cdef int number
        if event.name.begin == NULL or (event.phase != c"s" and event.phase != c"t" and event.phase != c"f"):
            return False
        for number in range(self.without_count):
            if is_equal(event.name.begin, event.name.end, <const char *>self.without[number].begin,
                        self.without[number].end - self.without[number].begin):
                return True
        return False

    cdef inline void add_argument(self, Sparse *sparse, int number, int64_t row) noexcept nogil:
        cdef int kind = self.kinds[number]
        cdef int64_t text = 0
        if kind == TEXT:
            text = self.text(&self.event.texts[number])
        self.append(sparse, row, 4 if kind == TEXT else 8)
        if self.is_without_memory:
            return
        if kind == TEXT:
            (<int32_t *>sparse.value.data)[sparse.count - 1] = <int32_t>text
        elif kind == DECIMAL:
            (<double *>sparse.value.data)[sparse.count - 1] = self.event.decimals[number]
        else:
            (<int64_t *>sparse.value.data)[sparse.count - 1] = self.event.integers[number]

    cdef inline void append(self, Sparse *sparse, int64_t row, int size) noexcept nogil:
        """Room for one more value, of the row."""
        if sparse.count == sparse.room and not self.make_values(sparse, size):
            self.is_without_memory = True
            return
        (<int32_t *>sparse.row.data)[sparse.count] = <int32_t>row
        sparse.count += 1

    cdef void add_counters(self, int64_t row) noexcept nogil:
        # The object has been read before, so nothing can be wrong with it.
        cdef const uint8_t *end = self.end
        cdef const uint8_t *key = mi_space(self.event.arguments + 1, end)
        cdef const uint8_t *value
        cdef const uint8_t *after
        cdef Span span
        cdef double number
        cdef int64_t count, name
        while key[0] != c"}":
            self.read_text(key, &span)
            value = mi_space(mi_space(span.end, end) + 1, end)
            after = mi_skip(value, end, MOST_DEPTH)
            if decimal_of(value, after, &number):
                name = self.text(&span)
                count = self.counters + 1
                if (
                    not grow(&self.counter_row, count * 4)
                    or not grow(&self.counter_name, count * 4)
                    or not grow(&self.counter_value, count * 8)
                ):
                    self.is_without_memory = True
                    return
                (<int32_t *>self.counter_row.data)[self.counters] = <int32_t>row
                (<int32_t *>self.counter_name.data)[self.counters] = <int32_t>name
                (<double *>self.counter_value.data)[self.counters] = number
                self.counters = count
            key = mi_space(after, end)
            if key[0] == c",":
                key = mi_space(key + 1, end)

    # --- room -------------------------------------------------------------------------------------------------------

    cdef inline int64_t more(self, int64_t count) noexcept nogil:
        """For how many there should be room where there is none: for all of the file, as far as can be foreseen.

        Memory that is asked for costs nothing until it is written to, but moving what was written does.
        """
        cdef int64_t more = max(count // 2, 1024)
        if count >= ENOUGH_TO_FORESEE:
            more = max(more, <int64_t>(<double>count * self.to_come))
        return min(count + more, INT32_MAX)

    cdef bint make_rows(self, Rows *rows) noexcept nogil:
        cdef int64_t count = rows.count
        return count < INT32_MAX and (
            self.widen(rows, self.more(count)) or self.widen(rows, min(count + count // 2 + 1, INT32_MAX))
        )

    cdef bint widen(self, Rows *rows, int64_t room) noexcept nogil:
        if not (
            make_room(&rows.phase, room)
            and make_room(&rows.time, room * 8)
            and make_room(&rows.duration, room * 8)
            and make_room(&rows.track, room * 4)
            and make_room(&rows.name, room * 4)
            and make_room(&rows.category, room * 4)
            and make_room(&rows.place, room * 8)
        ):
            return False
        rows.room = room
        return True

    cdef bint make_values(self, Sparse *sparse, int size) noexcept nogil:
        cdef int64_t count = sparse.count
        return self.lengthen(sparse, self.more(count), size) or self.lengthen(sparse, count + count // 2 + 1, size)

    cdef bint lengthen(self, Sparse *sparse, int64_t room, int size) noexcept nogil:
        if not make_room(&sparse.row, room * 4) or not make_room(&sparse.value, room * size):
            return False
        sparse.room = room
        return True

    # --- texts and tracks -------------------------------------------------------------------------------------------

    cdef inline int64_t text(self, const Span *span) noexcept nogil:
        """The number of a text, -1 for none."""
        cdef int64_t size, number
        cdef unsigned int glance
        cdef Known *known
        if span.begin == NULL or span.number >= 0:
            return -1 if span.begin == NULL else span.number
        size = span.end - span.begin
        glance = mi_glance(span.begin, size) & (GLANCES - 1)
        number = self.seen[glance] - 1
        if number >= 0:
            known = &(<Known *>self.known.data)[number]
            if known.size != size or memcmp(self.letters.data + known.at, span.begin, size) != 0:
                number = -1
        if number < 0:
            number = self.numbered(span)
            self.seen[glance] = <int32_t>(number + 1)
        if span.glimpse != NULL and number >= 0:
            mi_remember(span.glimpse, span.begin, size, number)
        return number

    cdef int64_t numbered(self, const Span *span) noexcept nogil:
        cdef uint64_t hash
        cdef int64_t size, place, number
        cdef int32_t *table
        cdef Known *known
        if 2 * self.text_count >= self.table_size and not self.grow_texts():
            self.is_without_memory = True
            return -1
        size = span.end - span.begin
        hash = mi_hash(span.begin, size, self.seed)
        table = <int32_t *>self.table.data
        place = hash & (self.table_size - 1)
        while True:
            number = table[place] - 1
            if number < 0:
                break
            known = &(<Known *>self.known.data)[number]
            if known.hash == hash and known.size == size and memcmp(self.letters.data + known.at, span.begin, size) == 0:
                return number
            place = (place + 1) & (self.table_size - 1)
        number = self.text_count
        if (
            number >= INT32_MAX - 2
            or not grow(&self.letters, self.letter_count + size)
            or not grow(&self.known, (number + 1) * <int64_t>sizeof(Known))
        ):
            self.is_without_memory = True
            return -1
        known = &(<Known *>self.known.data)[number]
        known.hash = hash
        known.at = self.letter_count
        known.size = size
        memcpy(self.letters.data + self.letter_count, span.begin, size)
        self.letter_count += size
        table[place] = <int32_t>(number + 1)
        self.text_count += 1
        return number

    cdef bint grow_texts(self) noexcept nogil:
        cdef int64_t size = max(2 * self.table_size, 4096)
        cdef int64_t number, place
        cdef int32_t *table
        if not grow(&self.table, size * 4):
            return False
        table = <int32_t *>self.table.data
        memset(table, 0, size * 4)
        for number in range(self.text_count):
            place = (<Known *>self.known.data)[number].hash & (size - 1)
            while table[place]:
                place = (place + 1) & (size - 1)
            table[place] = <int32_t>(number + 1)
        self.table_size = size
        return True

    cdef inline int64_t track(self, int64_t process, int64_t thread) noexcept nogil:
        cdef int64_t place, number
        cdef int32_t *table
        cdef int64_t *pairs
        if 2 * self.track_count >= self.track_table_size and not self.grow_tracks():
            self.is_without_memory = True
            return 0
        table = <int32_t *>self.track_table.data
        pairs = <int64_t *>self.track_pairs.data
        place = self.track_place(process, thread)
        while True:
            number = table[place] - 1
            if number < 0:
                break
            if pairs[2 * number] == process and pairs[2 * number + 1] == thread:
                return number
            place = (place + 1) & (self.track_table_size - 1)
        number = self.track_count
        pairs[2 * number] = process
        pairs[2 * number + 1] = thread
        table[place] = <int32_t>(number + 1)
        self.track_count += 1
        return number

    cdef inline int64_t track_place(self, int64_t process, int64_t thread) noexcept nogil:
        cdef int64_t pair[2]
        pair[0] = process
        pair[1] = thread
        return mi_hash(<const uint8_t *>pair, 16, self.seed) & (self.track_table_size - 1)

    cdef bint grow_tracks(self) noexcept nogil:
        cdef int64_t size = max(2 * self.track_table_size, 256)
        cdef int64_t number, place
        cdef int32_t *table
        cdef int64_t *pairs
        if not grow(&self.track_table, size * 4) or not grow(&self.track_pairs, size * 8):
            return False
        table = <int32_t *>self.track_table.data
        pairs = <int64_t *>self.track_pairs.data
        memset(table, 0, size * 4)
        self.track_table_size = size
        for number in range(self.track_count):
            place = self.track_place(pairs[2 * number], pairs[2 * number + 1])
            while table[place]:
                place = (place + 1) & (size - 1)
            table[place] = <int32_t>(number + 1)
        return True
