# The event that is being read. Included by _events.pyx.

cdef struct Span:
    const uint8_t *begin  # NULL for none
    const uint8_t *end
    int64_t number  # of the text, -1 while unknown
    mi_glimpse *glimpse  # where to remember it, NULL for nowhere

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
