# Members of an event and of its arguments, read into `event`. Included by _events.pyx.

cdef const uint8_t *read_event(EventScanner self, const uint8_t *begin) noexcept nogil:
    """Reads the object there into `event`."""
    cdef Event *event = &self.event
    cdef const uint8_t *after
    event.phase = 0
    event.time = event.duration = INT64_MIN
    event.process.begin = event.thread.begin = event.name.begin = event.category.begin = NULL
    event.identity.begin = event.arguments = NULL
    event.present = 0
    after = read_members(self, begin, OF_EVENT)
    return MI_WRONG if not MI_IS_BAD(after) and after - begin > MOST_EVENT_BYTES else after


cdef const uint8_t *read_members(EventScanner self, const uint8_t *begin, int root) noexcept nogil:
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
            meaning = meaning_of(self, key + 1, after - 1, root)
            member = learn_member(self, before, key, value if value == after + 1 else NULL, meaning)
        before = member
        value = mi_space(value, end)
        if value == end:
            return MI_MORE
        if meaning == PASSED:
            after = mi_pass(member, value, end, MOST_DEPTH)
        elif meaning >= FIRST_ARGUMENT:
            after = read_argument(self, meaning - FIRST_ARGUMENT, value)
        else:
            after = read_member(self, meaning, value)
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


cdef int meaning_of(EventScanner self, const uint8_t *key, const uint8_t *end, int root) noexcept nogil:
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


cdef mi_member *learn_member(EventScanner self, mi_member *before, const uint8_t *key, const uint8_t *value, int meaning) noexcept nogil:
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


cdef inline const uint8_t *read_member(EventScanner self, int meaning, const uint8_t *value) noexcept nogil:
    cdef Event *event = &self.event
    cdef const uint8_t *after
    if meaning == BEGIN:
        return read_time(self, value, &event.time)
    if meaning == DURATION:
        return read_time(self, value, &event.duration)
    if meaning == PROCESS:
        return read_word(self, value, &event.process)
    if meaning == THREAD:
        return read_word(self, value, &event.thread)
    if meaning == NAME:
        return read_word(self, value, &event.name)
    if meaning == CATEGORY:
        return read_word(self, value, &event.category)
    if meaning == IDENTITY:
        return read_identity(self, value)
    if meaning == ARGUMENTS:
        event.present = 0
        event.arguments = NULL
        if value[0] == c"{":
            event.arguments = value
            return read_members(self, value, OF_ARGUMENTS)
    after = mi_skip(value, self.end, MOST_DEPTH)
    if meaning == PHASE and not MI_IS_BAD(after):
        event.phase = value[1] if value[0] == c'"' and after - value > 2 else 0
    return after


cdef inline const uint8_t *read_time(EventScanner self, const uint8_t *value, int64_t *time) noexcept nogil:
    cdef const uint8_t *after = mi_usual_time(value, self.end, time)
    if after == MI_MORE:
        after = mi_skip(value, self.end, MOST_DEPTH)
        if not MI_IS_BAD(after):
            time[0] = time_of(value, after)
    return after


cdef inline const uint8_t *read_word(EventScanner self, const uint8_t *value, Span *span) noexcept nogil:
    """A text, where null stands for none."""
    cdef const uint8_t *after = read_text(self, value, span)
    if value[0] == c"n" and not MI_IS_BAD(after) and is_equal(value, after, b"null", 4):
        span.begin = NULL
    return after


cdef inline const uint8_t *read_text(EventScanner self, const uint8_t *value, Span *span) noexcept nogil:
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


cdef const uint8_t *read_identity(EventScanner self, const uint8_t *value) noexcept nogil:
    cdef Event *event = &self.event
    cdef const uint8_t *after = mi_usual_integer(value, self.end, &event.identity_number)
    event.is_numbered = after != MI_MORE
    if event.is_numbered:
        event.identity.begin = value
        return after
    after = read_word(self, value, &event.identity)
    if not MI_IS_BAD(after):
        event.is_numbered = integer_of(value, after, &event.identity_number)
    return after


cdef inline const uint8_t *read_argument(EventScanner self, int number, const uint8_t *value) noexcept nogil:
    cdef Event *event = &self.event
    cdef int kind = self.kinds[number]
    cdef const uint8_t *after
    cdef bint is_there = True
    if kind == TEXT:
        after = read_text(self, value, &event.texts[number])
    elif kind == TIME:
        after = read_time(self, value, &event.integers[number])
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
