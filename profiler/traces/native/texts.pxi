# Numbers of texts and of tracks. Included by _events.pyx.

cdef inline int64_t text_number(EventScanner self, const Span *span) noexcept nogil:
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
        number = add_text(self, span)
        self.seen[glance] = <int32_t>(number + 1)
    if span.glimpse != NULL and number >= 0:
        mi_remember(span.glimpse, span.begin, size, number)
    return number


cdef int64_t add_text(EventScanner self, const Span *span) noexcept nogil:
    cdef uint64_t hash
    cdef int64_t size, place, number
    cdef int32_t *table
    cdef Known *known
    if 2 * self.text_count >= self.table_size and not grow_texts(self):
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


cdef bint grow_texts(EventScanner self) noexcept nogil:
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


cdef inline int64_t track_number(EventScanner self, int64_t process, int64_t thread) noexcept nogil:
    cdef int64_t place, number
    cdef int32_t *table
    cdef int64_t *pairs
    if 2 * self.track_count >= self.track_table_size and not grow_tracks(self):
        self.is_without_memory = True
        return 0
    table = <int32_t *>self.track_table.data
    pairs = <int64_t *>self.track_pairs.data
    place = track_place(self, process, thread)
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


cdef inline int64_t track_place(EventScanner self, int64_t process, int64_t thread) noexcept nogil:
    cdef int64_t pair[2]
    pair[0] = process
    pair[1] = thread
    return mi_hash(<const uint8_t *>pair, 16, self.seed) & (self.track_table_size - 1)


cdef bint grow_tracks(EventScanner self) noexcept nogil:
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
        place = track_place(self, pairs[2 * number], pairs[2 * number + 1])
        while table[place]:
            place = (place + 1) & (size - 1)
        table[place] = <int32_t>(number + 1)
    return True
