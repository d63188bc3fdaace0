# Records of W&B. Included by _records.pyx.

cdef bint read_item(Scan* scan, Field* message) noexcept nogil:
    """Add an item to those of the record; False when it is malformed or memory is short."""
    cdef Field field
    cdef const uint8_t* p = message.begin
    cdef size_t parts = 0
    cdef size_t first_size = 0
    cdef const uint8_t* first = message.begin
    cdef Item found
    memset(&found, 0, sizeof(Item))
    found.single = found.begin = found.end = message.begin
    found.key = scan.joined.size
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL:
            return False
        if field.wire != BYTES:
            continue
        if field.id == ITEM_KEY:
            found.single = field.begin
            found.key_size = field.end - field.begin
        elif field.id == ITEM_VALUE_JSON:
            found.begin = field.begin
            found.end = field.end
        elif field.id == ITEM_NESTED_KEY:
            parts += 1
            if parts == 1:
                first = field.begin
                first_size = field.end - field.begin
                continue
            if parts == 2:
                found.is_nested = True
                if not append(&scan.joined, first, first_size):
                    scan.short_of_memory = True
                    return False
            if not append(&scan.joined, <const uint8_t*>b"\x1f", 1) or not append(
                &scan.joined, field.begin, field.end - field.begin
            ):
                scan.short_of_memory = True
                return False
    if parts == 1:
        found.single = first
        found.key_size = first_size
    elif parts > 1:
        found.key_size = scan.joined.size - found.key
    if not grow(<void**>&scan.items, &scan.item_room, scan.item_count + 1, sizeof(Item)):
        scan.short_of_memory = True
        return False
    scan.items[scan.item_count] = found
    scan.item_count += 1
    return True


cdef inline const uint8_t* key_of(Scan* scan, Item* item) noexcept nogil:
    return scan.joined.at + item.key if item.is_nested else item.single


cdef inline bint is_own(const uint8_t* key, size_t size) noexcept nogil:
    """Whether W&B itself adds the key to each row."""
    cdef const uint8_t* end
    if size < 5 or key[0] != c"_":
        return False
    end = <const uint8_t*>memchr(key, SEPARATOR, size)
    if end != NULL:
        size = end - key
    return (
        is_word(key, size, b"_step", 5)
        or is_word(key, size, b"_timestamp", 10)
        or is_word(key, size, b"_runtime", 8)
        or is_word(key, size, b"_wandb", 6)
    )


cdef bint read_items(Scan* scan, Field* message, uint32_t id) noexcept nogil:
    """The items in a message, which has to be well-formed."""
    cdef Field field
    cdef const uint8_t* p = message.begin
    scan.item_count = scan.joined.size = 0
    while p < message.end:
        p = next_field(p, message.end, &field)
        if p == NULL or (field.id == id and field.wire == BYTES and not read_item(scan, &field)):
            return False
    return True


cdef int read_history(Scan* scan, Field* message, bint take) noexcept nogil:
    cdef Field field
    cdef const uint8_t* p = message.begin
    cdef Item* item
    cdef const uint8_t* key
    cdef size_t number
    cdef int64_t step = scan.step
    cdef double wall = NOT_A_NUMBER
    cdef double value
    cdef bint has_more = False
    if not read_items(scan, message, HISTORY_ITEM):
        return NO_MEMORY if scan.short_of_memory else MALFORMED
    while p < message.end:
        p = next_field(p, message.end, &field)
        if field.id == HISTORY_STEP and field.wire == BYTES:
            step = 0
            if not last_integer(&field, HISTORY_STEP_NUM, &step):
                return MALFORMED
    if not take:
        return FINE
    for number in range(scan.item_count):
        item = &scan.items[number]
        key = key_of(scan, item)
        item.is_own = is_own(key, item.key_size)
        if not item.is_own or item.is_nested:
            continue
        if is_word(key, item.key_size, b"_step", 5):
            integer_in(item.begin, item.end, &step)
        elif is_word(key, item.key_size, b"_timestamp", 10):
            wall = NOT_A_NUMBER
            if number_in(item.begin, item.end, &value) and isfinite(value):
                wall = value
    scan.step = step
    if not take_row(scan, step, wall, &has_more):
        return NO_MEMORY
    if has_more and not keep(scan, WANDB_HISTORY, message, step, wall):
        return NO_MEMORY
    return FINE


cdef bint take_row(Scan* scan, int64_t step, double wall, bint* has_more) noexcept nogil:
    cdef Item* item
    cdef const uint8_t* key
    cdef size_t number
    cdef size_t objects = 0
    cdef double value
    for number in range(scan.item_count):
        item = &scan.items[number]
        if ends_with_type(key_of(scan, item), item.key_size):
            objects += 1
    if objects and not list_objects(scan, objects):
        return False
    for number in range(scan.item_count):
        item = &scan.items[number]
        if item.is_own:
            continue
        key = key_of(scan, item)
        if objects and is_inside(scan, key, item.key_size):
            has_more[0] = True
        elif number_in(item.begin, item.end, &value):
            if not keep_point(scan, key, item.key_size, step, wall, value):
                return False
        elif item.begin < item.end and (
            item.begin[0] == c'"' or (item.begin[0] == c"{" and holds_type(item.begin, item.end))
        ):
            has_more[0] = True
    return True


cdef inline bint ends_with_type(const uint8_t* key, size_t size) noexcept nogil:
    return size >= 6 and memcmp(key + size - 6, b"\x1f_type", 6) == 0


cdef bint holds_type(const uint8_t* p, const uint8_t* end) noexcept nogil:
    while end - p >= 7:
        p = <const uint8_t*>memchr(p, c'"', end - p - 6)
        if p == NULL:
            return False
        if memcmp(p, b'"_type"', 7) == 0:
            return True
        p += 1
    return False


cdef bint list_objects(Scan* scan, size_t objects) noexcept nogil:
    """Make the table of the keys of objects, each with the separator behind it."""
    cdef size_t room = 64
    cdef size_t number, slot
    cdef Item* item
    while room < objects * 2:
        room *= 2
    if not grow(<void**>&scan.objects, &scan.object_room, room, sizeof(uint32_t)):
        return False
    while room * 2 <= scan.object_room:
        room *= 2
    scan.object_mask = room - 1
    memset(scan.objects, 0, room * sizeof(uint32_t))
    for number in range(scan.item_count):
        item = &scan.items[number]
        if ends_with_type(key_of(scan, item), item.key_size):
            slot = hash_of(key_of(scan, item), item.key_size - 5) & scan.object_mask
            while scan.objects[slot] and not is_object(scan, slot, key_of(scan, item), item.key_size - 5):
                slot = (slot + 1) & scan.object_mask
            scan.objects[slot] = <uint32_t>number + 1
    return True


cdef inline bint is_object(Scan* scan, size_t slot, const uint8_t* key, size_t size) noexcept nogil:
    cdef Item* item = &scan.items[scan.objects[slot] - 1]
    return item.key_size - 5 == size and memcmp(key_of(scan, item), key, size) == 0


cdef bint is_inside(Scan* scan, const uint8_t* key, size_t size) noexcept nogil:
    """Whether a key lies in one of the objects."""
    cdef size_t at, slot
    for at in range(size):
        if key[at] != SEPARATOR:
            continue
        slot = hash_of(key, at + 1) & scan.object_mask
        while scan.objects[slot]:
            if is_object(scan, slot, key, at + 1):
                return True
            slot = (slot + 1) & scan.object_mask
    return False


cdef bint keep_value(Scan* scan, Item* item, size_t size) noexcept nogil:
    """Take the value of an item of the summary in place of the one before."""
    cdef const uint8_t* key = key_of(scan, item)
    cdef uint32_t number
    cdef size_t count = scan.summary.count
    cdef Value* value
    if is_own(key, item.key_size):
        return True
    if not number_of(&scan.summary, key, item.key_size, &number):
        return False
    if not grow(<void**>&scan.values, &scan.value_room, scan.summary.count, sizeof(Value)):
        return False
    value = &scan.values[number]
    if scan.summary.count > count:
        value.at = value.size = value.room = 0
    if size > value.room:
        value.at = scan.texts.size
        value.room = size + 8
        if not grow(<void**>&scan.texts.at, &scan.texts.room, scan.texts.size + value.room, 1):
            return False
        scan.texts.size += value.room
    if size:
        memcpy(scan.texts.at + value.at, item.begin, size)
    value.size = size
    return True


cdef int read_summary(Scan* scan, Field* message, bint take) noexcept nogil:
    cdef size_t number, size
    cdef bint has_removals
    if not read_items(scan, message, SUMMARY_REMOVE):
        return NO_MEMORY if scan.short_of_memory else MALFORMED
    has_removals = scan.item_count > 0
    if not read_items(scan, message, SUMMARY_UPDATE):
        return NO_MEMORY if scan.short_of_memory else MALFORMED
    if not take:
        return FINE
    for number in range(scan.item_count):
        size = scan.items[number].end - scan.items[number].begin
        if not keep_value(scan, &scan.items[number], size if size <= MOST_SUMMARY else 0):
            return NO_MEMORY
    if has_removals:
        read_items(scan, message, SUMMARY_REMOVE)
        for number in range(scan.item_count):
            if not keep_value(scan, &scan.items[number], 0):
                return NO_MEMORY
    return FINE


cdef int read_stats(Scan* scan, Field* message, bint take) noexcept nogil:
    cdef double wall, value
    cdef size_t number
    cdef Item* item
    if not read_items(scan, message, STATS_ITEM):
        return NO_MEMORY if scan.short_of_memory else MALFORMED
    if not time_in(message, STATS_TIMESTAMP, &wall):
        return MALFORMED
    if not take:
        return FINE
    for number in range(scan.item_count):
        item = &scan.items[number]
        if not number_in(item.begin, item.end, &value):
            continue
        scan.tag.size = 0
        if not append(&scan.tag, <const uint8_t*>b"system/", 7) or not append(
            &scan.tag, key_of(scan, item), item.key_size
        ):
            return NO_MEMORY
        if not keep_point(scan, scan.tag.at, scan.tag.size, scan.samples, wall, value):
            return NO_MEMORY
    scan.samples += 1
    return FINE


cdef int read_output(Scan* scan, Field* message, bint take) noexcept nogil:
    cdef double wall
    cdef int64_t stream = OUTPUT_STDERR
    cdef Field line
    if not time_in(message, OUTPUT_TIMESTAMP, &wall) or not last_integer(message, OUTPUT_OUTPUT_TYPE, &stream):
        return MALFORMED
    if not take:
        return FINE
    line.begin = bytes_of(message, OUTPUT_LINE, &line.end)
    return FINE if write_output(scan, 0 if stream == OUTPUT_STDERR else 1, &line, wall) else NO_MEMORY


cdef bint write_output(Scan* scan, int stream, Field* piece, double wall) noexcept nogil:
    """Take a piece of output as a terminal does; see the reference."""
    cdef Bytes* line = &scan.streams[stream]
    cdef const uint8_t* p = piece.begin
    cdef const uint8_t* begin
    cdef size_t extra
    while p < piece.end:
        if p[0] == c"\n":
            if line.size and line.at[line.size - 1] == c"\r":
                line.size -= 1
            if not keep_line(scan, line.at, line.size, wall):
                return False
            line.size = 0
            p += 1
        elif p[0] == c"\r":
            if not (line.size and line.at[line.size - 1] == c"\r") and not append(line, p, 1):
                return False
            p += 1
        else:
            begin = p
            while p < piece.end and p[0] != c"\n" and p[0] != c"\r":
                p += 1
            if line.size and line.at[line.size - 1] == c"\r":
                line.size = 0
            if not append(line, begin, p - begin):
                return False
            extra = 0
            while line.size - extra > LONGEST_LINE:
                if not keep_line(scan, line.at + extra, LONGEST_LINE, wall):
                    return False
                extra += LONGEST_LINE
            if extra:
                memmove(line.at, line.at + extra, line.size - extra)
                line.size -= extra
    return True


cdef int read_wandb_part(Scan* scan, Field* field, bint take) noexcept nogil:
    if field.id == WANDB_HISTORY:
        return read_history(scan, field, take)
    if field.id == WANDB_SUMMARY:
        return read_summary(scan, field, take)
    if field.id == WANDB_STATS:
        return read_stats(scan, field, take)
    if field.id == WANDB_OUTPUT_RAW:
        return read_output(scan, field, take)
    if not take:
        return FINE
    if (
        field.id == WANDB_CONFIG
        or field.id == WANDB_ARTIFACT
        or field.id == WANDB_ALERT
        or field.id == WANDB_METRIC
        or field.id == WANDB_RUN
        or field.id == WANDB_EXIT
        or field.id == WANDB_HEADER
        or field.id == WANDB_PREEMPTING
        or field.id == WANDB_USE_ARTIFACT
        or field.id == WANDB_ENVIRONMENT
    ):
        return FINE if keep(scan, field.id, field, 0, NOT_A_NUMBER) else NO_MEMORY
    return FINE
