# States of the scanner, meanings of keys, and limits. Included by _events.pyx.

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
