# Rows of the columns: added for each event, and taken at the end. Included by _events.pyx.

cdef void add_event(EventScanner self, const uint8_t *begin) noexcept nogil:
    cdef Event *event = &self.event
    cdef Rows *rows = &self.tables[event.phase != c"X"]
    cdef int64_t row = rows.count
    cdef int64_t process, thread
    cdef uint64_t present
    cdef int number
    if self.without_count and is_left_out(self):
        self.arrows_left_out += 1
        return
    if row == rows.room and not make_rows(self, rows):
        self.is_without_memory = True
        return
    process = text_number(self, &event.process)
    thread = text_number(self, &event.thread)
    (<uint8_t *>rows.phase.data)[row] = event.phase
    (<int64_t *>rows.time.data)[row] = event.time
    (<int64_t *>rows.duration.data)[row] = event.duration
    (<int32_t *>rows.track.data)[row] = <int32_t>track_number(self, process, thread)
    (<int32_t *>rows.name.data)[row] = <int32_t>text_number(self, &event.name)
    (<int32_t *>rows.category.data)[row] = <int32_t>text_number(self, &event.category)
    (<int64_t *>rows.place.data)[row] = self.offset + (begin - self.data)
    rows.count += 1
    if event.identity.begin != NULL:
        if not event.is_numbered:
            event.identity_number = -2 - text_number(self, &event.identity)
        append_value(self, &rows.identity, row, 8)
        if not self.is_without_memory:
            (<int64_t *>rows.identity.value.data)[rows.identity.count - 1] = event.identity_number
    present = event.present
    while present:
        number = mi_lowest(present)
        add_argument(self, &rows.arguments[number], number, row)
        present &= present - 1
    if event.phase == c"C" and event.arguments != NULL:
        add_counters(self, row)


cdef inline bint is_left_out(EventScanner self) noexcept nogil:
    cdef Event *event = &self.event
    cdef int number
    if event.name.begin == NULL or (event.phase != c"s" and event.phase != c"t" and event.phase != c"f"):
        return False
    for number in range(self.without_count):
        if is_equal(event.name.begin, event.name.end, <const char *>self.without[number].begin,
                    self.without[number].end - self.without[number].begin):
            return True
    return False


cdef inline void add_argument(EventScanner self, Sparse *sparse, int number, int64_t row) noexcept nogil:
    cdef int kind = self.kinds[number]
    cdef int64_t text = 0
    if kind == TEXT:
        text = text_number(self, &self.event.texts[number])
    append_value(self, sparse, row, 4 if kind == TEXT else 8)
    if self.is_without_memory:
        return
    if kind == TEXT:
        (<int32_t *>sparse.value.data)[sparse.count - 1] = <int32_t>text
    elif kind == DECIMAL:
        (<double *>sparse.value.data)[sparse.count - 1] = self.event.decimals[number]
    else:
        (<int64_t *>sparse.value.data)[sparse.count - 1] = self.event.integers[number]


cdef inline void append_value(EventScanner self, Sparse *sparse, int64_t row, int size) noexcept nogil:
    """Room for one more value, of the row."""
    if sparse.count == sparse.room and not make_values(self, sparse, size):
        self.is_without_memory = True
        return
    (<int32_t *>sparse.row.data)[sparse.count] = <int32_t>row
    sparse.count += 1


cdef void add_counters(EventScanner self, int64_t row) noexcept nogil:
    # The object has been read before, so nothing can be wrong with it.
    cdef const uint8_t *end = self.end
    cdef const uint8_t *key = mi_space(self.event.arguments + 1, end)
    cdef const uint8_t *value
    cdef const uint8_t *after
    cdef Span span
    cdef double number
    cdef int64_t count, name
    while key[0] != c"}":
        read_text(self, key, &span)
        value = mi_space(mi_space(span.end, end) + 1, end)
        after = mi_skip(value, end, MOST_DEPTH)
        if decimal_of(value, after, &number):
            name = text_number(self, &span)
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


cdef object take_rows(EventScanner self, Rows *rows):
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
    found = ScannedRows(
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


cdef inline int64_t room_for(EventScanner self, int64_t count) noexcept nogil:
    """For how many there should be room where there is none: for all of the file, as far as can be foreseen.

    Memory that is asked for costs nothing until it is written to, but moving what was written does.
    """
    cdef int64_t more = max(count // 2, 1024)
    if count >= ENOUGH_TO_FORESEE:
        more = max(more, <int64_t>(<double>count * self.to_come))
    return min(count + more, INT32_MAX)


cdef bint make_rows(EventScanner self, Rows *rows) noexcept nogil:
    cdef int64_t count = rows.count
    return count < INT32_MAX and (
        widen(self, rows, room_for(self, count)) or widen(self, rows, min(count + count // 2 + 1, INT32_MAX))
    )


cdef bint widen(EventScanner self, Rows *rows, int64_t room) noexcept nogil:
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


cdef bint make_values(EventScanner self, Sparse *sparse, int size) noexcept nogil:
    cdef int64_t count = sparse.count
    return lengthen(self, sparse, room_for(self, count), size) or lengthen(self, sparse, count + count // 2 + 1, size)


cdef bint lengthen(EventScanner self, Sparse *sparse, int64_t room, int size) noexcept nogil:
    if not make_room(&sparse.row, room * 4) or not make_room(&sparse.value, room * size):
        return False
    sparse.room = room
    return True
