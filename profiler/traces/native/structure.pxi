# The way through a file: each function gives MORE, WRONG, or where to go on. Included by _events.pyx.

cdef void run(EventScanner self) noexcept nogil:
    cdef const uint8_t *after
    cdef int64_t rest
    while not self.is_without_memory:
        if self.state == EVENTS:
            after = read_events(self)
        elif self.state == LOST:
            after = find_event(self)
        elif self.state == ROOT:
            after = read_root(self)
        elif self.state == START:
            after = read_start(self)
        else:
            after = read_rest(self)
        if after == MI_WRONG:
            lose(self, False)
        elif after == MI_MORE:
            rest = self.end - self.item
            if self.state == LOST or rest == 0:
                return
            if rest > MOST_EVENT_BYTES:
                lose(self, False)
            elif self.at_end:
                lose(self, True)
            else:
                return
        else:
            self.item = after


cdef const uint8_t *read_start(EventScanner self) noexcept nogil:
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


cdef const uint8_t *read_root(EventScanner self) noexcept nogil:
    cdef const uint8_t *begin
    cdef const uint8_t *key_end
    cdef const uint8_t *value
    cdef const uint8_t *inner
    cdef const uint8_t *after
    begin = self.item = space_or_commas(self)
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
            after = read_event(self, inner)
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


cdef const uint8_t *read_events(EventScanner self) noexcept nogil:
    cdef const uint8_t *begin
    cdef const uint8_t *after
    begin = self.item = space_or_commas(self)
    if begin == self.end:
        return MI_MORE
    if begin[0] != c"{":
        if begin[0] != c"]":
            return MI_WRONG
        self.state = END if self.is_bare else ROOT
        return begin + 1
    after = read_event(self, begin)
    if MI_IS_BAD(after):
        return after
    if self.event.phase:
        add_event(self, begin)
    else:
        self.nameless += 1
    return after


cdef const uint8_t *read_rest(EventScanner self) noexcept nogil:
    self.item = mi_space(self.item, self.end)
    return MI_MORE if self.item == self.end else MI_WRONG


cdef const uint8_t *find_event(EventScanner self) noexcept nogil:
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
                after = read_event(self, begin) if after[0] == c'"' else MI_WRONG
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
    note_damage(self, self.offset + (begin - self.data))
    self.state = EVENTS
    add_event(self, begin)
    return after


cdef void lose(EventScanner self, bint is_open_end) noexcept nogil:
    self.state = LOST
    self.lost_from = self.offset + (self.item - self.data)
    self.is_open_end = is_open_end
    self.before = self.item[0]
    self.item += 1


cdef void note_damage(EventScanner self, int64_t end) noexcept nogil:
    self.damages += 1
    if self.damages <= MOST_DAMAGE:
        with gil:
            self.damage.append((self.lost_from, end - self.lost_from))


cdef void finish_file(EventScanner self):
    if self.state != LOST:
        self.is_cut = self.state == START or self.state == ROOT or (self.state == EVENTS and not self.is_bare)
    elif self.is_open_end:
        self.is_cut = True
        self.cut_bytes = self.offset - self.lost_from
    else:
        note_damage(self, self.offset)


cdef inline const uint8_t *space_or_commas(EventScanner self) noexcept nogil:
    cdef const uint8_t *p = mi_space(self.item, self.end)
    while p < self.end and p[0] == c",":
        p = mi_space(p + 1, self.end)
    return p
