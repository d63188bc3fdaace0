# Numbers that the scanner shares with its reference. Included by _scan.pyx.

cdef enum:  # kinds.Kind
    SCALAR, IMAGE, HISTOGRAM, TEXT, AUDIO, VIDEO, TENSOR, GRAPH, EMBEDDING, PR_CURVE, ROC_CURVE, MESH, LANDSCAPE
    HPARAMS, CUSTOM_SCALARS, LINEAGE, RUN_METADATA, META, SESSION, EXPLAIN, KINDS
    AS_BEFORE = 255  # the kind of the tag's first series
    NO_KIND = 254

cdef enum:  # kinds.Dialect
    TENSORBOARD, MINDSPORE, MINDSPORE_LINEAGE, VISUALDL, VISUALDL_LEGACY, DIALECTS

cdef enum:  # wire types
    VARINT = 0
    FIXED64 = 1
    BYTES = 2
    FIXED32 = 5

cdef enum:  # indexes of batch.DAMAGE_KINDS
    LENGTH_CHECKSUM, PAYLOAD_CHECKSUM, ABSURD_LENGTH, UNPARSABLE

cdef enum:  # what reading a record comes to
    MALFORMED = 0
    FINE = 1
    NO_MEMORY = 2

cdef enum:
    HEADER = 12
    FRAME = 16
    PREFIX = 8
    JUDGED = 14
    BLOCK_POINTS = 1024
    ZEROS_FED = 16  # of skipped ones: a record may begin with zeros
    KEPT_POINTS = 1024  # room that `take` keeps for the next batch; scanners of growing files wait for it

cdef uint32_t NOWHERE = 0xFFFFFFFF
cdef uint64_t MAX_LENGTH = (<uint64_t>1 << 31) - FRAME - HEADER
cdef int64_t MILLISECONDS_FROM = 100000000000
cdef double INFINITE = float("inf")
cdef double NOT_A_NUMBER = float("nan")
