"""Scanner of growing log files in plain Python: the reference of the native scanner."""

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from mmap import mmap
from typing import Final

from mindinsight_like.logs.batch import Batch, describe
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.logs.protobuf.schemas.visualdl_legacy import Tablet
from mindinsight_like.logs.protobuf.wire import BYTES, VARINT, Field, Malformed, fields, varint

from . import dialects
from .crc import masked_crc32c
from .dialects import Item
from .grouping import Blob, Point, batch_of

__all__ = ["MAX_RECORD", "Scanner", "masked_crc32c"]

MAX_RECORD: Final = 2**31  # protobuf's own limit, framing and the next header included

_HEADER: Final = 12  # length and its checksum
_FRAME: Final = 16  # what surrounds a payload
_MAX_LENGTH: Final = MAX_RECORD - _FRAME - _HEADER
_PREFIX: Final = 8  # VisualDL: a bare length
_JUDGED: Final = 14  # bytes that tell whether a VisualDL record may begin here
_ZEROS_FED: Final = 16  # of skipped ones: a record may begin with zeros
_NOT_ZERO: Final = re.compile(rb"[^\0]")
_LENGTH_CHECKSUM, _PAYLOAD_CHECKSUM, _ABSURD_LENGTH, _UNPARSABLE = range(4)

_PARSERS: Final[dict[int, Callable[[bytes, int, int], Iterator[Item]]]] = {
    Dialect.TENSORBOARD: dialects.tensorboard,
    Dialect.MINDSPORE: dialects.mindspore,
    Dialect.MINDSPORE_LINEAGE: dialects.mindspore_lineage,
    Dialect.VISUALDL: dialects.visualdl,
}


class Scanner:
    """Finds every value of one log file, fed piece by piece.

    `keys` are the series known from earlier sessions, in the order they were numbered. `tag` names the series of a
    VisualDL 1.x tablet, whose whole file has to be fed at once.
    """

    def __init__(
        self,
        dialect: int,
        keys: Sequence[bytes] = (),
        *,
        offset: int = 0,
        damaged: bool = False,
        tag: str = "",
    ) -> None:
        self.offset = offset
        self.damaged = damaged
        self.wanted = 0
        self._dialect = Dialect(dialect)
        if self._dialect > Dialect.VISUALDL_LEGACY:
            raise ValueError(f"{dialect:d} is not a valid Dialect of records")
        self._tag = tag.encode(errors="replace")
        self._numbers: dict[bytes, int] = {}
        self._kinds: dict[bytes, Kind] = {}  # of a tag's first series
        self._keys: list[bytes] = []
        for number, key in enumerate(keys):
            self._remember(bytes(key), number)
        self._fresh: list[bytes] = []
        self._points: list[Point] = []
        self._blobs: list[Blob] = []
        self._damage: list[tuple[int, int, int]] = []  # offset, cause, bytes skipped or -1
        self._warned_here = False  # the last damage in the list is the region we are in

    @property
    def pending(self) -> int:
        """Scalars and blobs found since the last `take`."""
        return len(self._points) + len(self._blobs)

    @property
    def new_keys(self) -> int:
        """Series found since the last `take`."""
        return len(self._fresh)

    def __len__(self) -> int:
        """How many series are known."""
        return len(self._keys)

    def __getitem__(self, number: int) -> bytes:
        """The key of a series by its number."""
        if not 0 <= number < len(self._keys):
            raise IndexError(f"no series {number}")
        return self._keys[number]

    def skip_zeros(self, count: int) -> None:
        """Go on behind `count` bytes from `offset` that are known to be zero; only inside damage."""
        if not self.damaged:
            raise ValueError("every byte must be fed unless the scanner is in damaged data")
        self.offset += max(0, count - _ZEROS_FED)

    def feed(self, data: bytes | bytearray | memoryview | mmap, *, at_end: bool) -> int:
        """Read whole records from bytes that begin at `offset`; returns how many bytes are done with.

        `at_end` says that the data reaches the present end of the file.
        """
        data = bytes(data)
        self.wanted = 0
        if self._dialect == Dialect.VISUALDL:
            consumed = self._feed_lengths(data, at_end)
        elif self._dialect == Dialect.VISUALDL_LEGACY:
            consumed = self._feed_tablet(data)
        else:
            consumed = self._feed_frames(data, at_end)
        self.offset += consumed
        return consumed

    def take(self) -> Batch:
        """Everything found since the last call, grouped by series."""
        damage = [describe(*entry) for entry in self._damage]
        batch = batch_of(self._fresh, self._points, self._blobs, damage)
        self._fresh, self._points, self._blobs, self._damage = [], [], [], []
        self._warned_here = False
        return batch

    def _feed_frames(self, data: bytes, at_end: bool) -> int:
        position, size, parse = 0, len(data), _PARSERS[self._dialect]
        while size - position >= _HEADER:
            length = int.from_bytes(data[position : position + 8], "little")
            if not _checksum_holds(data, position, position + 8):
                self._damaged_at(position, _LENGTH_CHECKSUM)
                position = _next_header(data, position + 1)
                continue
            if length > _MAX_LENGTH:
                self._damaged_at(position, _ABSURD_LENGTH)
                position = _next_header(data, position + 1)
                continue
            end = position + _FRAME + length
            if end > size:
                self.wanted = _FRAME + length
                break
            if not _checksum_holds(data, position + _HEADER, end - 4):
                if size - end < _HEADER and not at_end:
                    self.wanted = _FRAME + length + _HEADER  # what follows tells how much is damaged
                    break
                self._damaged_at(position, _PAYLOAD_CHECKSUM)
                position = end if _is_header(data, end) else _next_header(data, position + 1)
                continue
            self._read(data, position, position + _HEADER, end - 4, parse)
            position = end
        return position

    def _feed_lengths(self, data: bytes, at_end: bool) -> int:
        position, size = 0, len(data)
        while size - position >= _PREFIX:
            length = int.from_bytes(data[position : position + _PREFIX], "little")
            end = position + _PREFIX + length
            if not 0 < length <= _MAX_LENGTH:
                self._damaged_at(position, _ABSURD_LENGTH)
            elif end <= size:
                if self._read(data, position, position + _PREFIX, end, dialects.visualdl):
                    position = end
                    continue
            else:
                is_sound = _is_one_value(data, position)
                later = _whole_record(data, position + 1) if at_end or not is_sound else None
                if later is not None:
                    self._damaged_at(position, _ABSURD_LENGTH)
                    position = later
                    continue
                if not self.damaged or size - position < _JUDGED or is_sound:
                    self.wanted = _PREFIX + length if size - position >= _JUDGED or not self.damaged else 0
                    break
            position = _next_record(data, position + 1)
        return position

    def _feed_tablet(self, data: bytes) -> int:
        tablet_fields: list[Field] = []
        broken = -1
        walk = _tablet_fields(data)
        try:
            tablet_fields.extend(walk)
        except Malformed:
            broken = tablet_fields[-1].end if tablet_fields else 0
        component = 0
        for field in tablet_fields:
            if field.id == Tablet.component and field.wire == VARINT:
                component = field.number
        parse = partial(dialects.tablet, component=component, tag=self._tag)
        for field in tablet_fields:
            if field.id == Tablet.records and field.wire == BYTES:
                self._read(data, field.begin, field.begin, field.end, parse)
        if broken >= 0:
            self._damaged_at(broken, _UNPARSABLE)
            return len(data)  # nothing marks where a next record would begin
        return tablet_fields[-1].end if tablet_fields else 0

    def _read(
        self, data: bytes, start: int, begin: int, end: int, parse: Callable[[bytes, int, int], Iterator[Item]]
    ) -> bool:
        """Take the values of the record at `start`, all of them or, when it does not parse, none."""
        try:
            items = list(parse(data, begin, end))
        except Malformed:
            self._damaged_at(start, _UNPARSABLE)
            return False
        if self._warned_here:
            offset, cause, _ = self._damage[-1]
            self._damage[-1] = offset, cause, self.offset + start - offset
        self._warned_here = self.damaged = False
        for item in items:
            self._keep(item)
        return True

    def _keep(self, item: Item) -> None:
        kind = self._kinds.get(item.tag, Kind.TENSOR) if item.kind is None else item.kind
        if kind == Kind.SCALAR and item.value is None:
            kind = Kind.TENSOR
        key = bytes([kind]) + item.tag
        number = self._numbers.get(key)
        if number is None:
            number = len(self._keys)
            self._remember(key, number)
            self._fresh.append(key)
        if kind == Kind.SCALAR and item.value is not None:
            self._points.append(Point(number, item.step, item.wall, item.value))
        else:
            offset = self.offset + item.begin
            is_start = kind == Kind.SESSION and item.tag == b"start"
            place = item.step, item.wall, offset, item.end - item.begin
            self._blobs.append(Blob(number, *place, len(self._points), is_start))

    def _remember(self, key: bytes, number: int) -> None:
        self._keys.append(key)
        self._numbers.setdefault(key, number)
        self._kinds.setdefault(key[1:], Kind(key[0]))

    def _damaged_at(self, position: int, cause: int) -> None:
        """Warn of damage, once until an intact record ends the region."""
        if not self.damaged:
            self._damage.append((self.offset + position, cause, -1))
            self.damaged = self._warned_here = True


def _checksum_holds(data: bytes, begin: int, end: int) -> bool:
    return masked_crc32c(data[begin:end]) == int.from_bytes(data[end : end + 4], "little")


def _is_header(data: bytes, position: int) -> bool:
    if len(data) - position < _HEADER:
        return False
    (length,) = struct.unpack_from("<Q", data, position)
    return length <= _MAX_LENGTH and _checksum_holds(data, position, position + 8)


def _after_zeros(data: bytes, position: int) -> int:
    """Where the first byte that is not zero lies, or the end."""
    match = _NOT_ZERO.search(data, position)
    return match.start() if match else len(data)


def _next_header(data: bytes, position: int) -> int:
    """The next place where a record may begin, or the first that cannot be judged yet."""
    limit = len(data) - _HEADER
    while position <= limit:
        # The upper half of any possible length is zero.
        position = data.find(b"\0\0\0\0", position + 4) - 4
        if position < 0 or position > limit:
            break
        if not any(data[position : position + _HEADER]):  # preallocated space, holes of sparse files
            position = _after_zeros(data, position + _HEADER) - _HEADER + 1
            continue
        if _is_header(data, position):
            return position
        position += 1
    return limit + 1


def _next_record(data: bytes, position: int) -> int:
    """The next place where a VisualDL record may begin, or the first that cannot be judged yet."""
    while position + _JUDGED <= len(data):
        if not any(data[position : position + _PREFIX]):
            position = min(_after_zeros(data, position + _PREFIX) - _PREFIX, len(data) - _JUDGED) + 1
            continue
        if _is_whole_record(data, position) or (_reaches_past(data, position) and _is_one_value(data, position)):
            break
        position += 1
    return position


def _whole_record(data: bytes, position: int) -> int | None:
    """Where the next complete and valid VisualDL record begins."""
    starts = (at for at in range(position, len(data) - _JUDGED + 1) if _is_whole_record(data, at))
    return next(starts, None)


def _is_whole_record(data: bytes, position: int) -> bool:
    length = int.from_bytes(data[position : position + _PREFIX], "little")
    begin = position + _PREFIX
    if not 0 < length <= len(data) - begin or data[begin] != 0x0A:
        return False
    try:
        list(dialects.visualdl(data, begin, begin + length))
    except Malformed:
        return False
    return True


def _reaches_past(data: bytes, position: int) -> bool:
    length = int.from_bytes(data[position : position + _PREFIX], "little")
    return len(data) - position - _PREFIX < length <= _MAX_LENGTH


def _is_one_value(data: bytes, position: int) -> bool:
    """Whether the length agrees with that of the single value which VisualDL puts in every record."""
    begin = position + _PREFIX
    length = int.from_bytes(data[position:begin], "little")
    if len(data) - position < _JUDGED or data[begin] != 0x0A:
        return False
    try:
        inner, after = varint(data, begin + 1, min(begin + 6, len(data)))
    except Malformed:
        return False
    return after - begin + inner == length


def _tablet_fields(data: bytes) -> Iterator[Field]:
    """The fields of a tablet up to a last one that is still being written; raises Malformed."""
    position = 0
    while position < len(data):
        try:
            field = next(fields(data, position, len(data)))
        except Malformed:
            if _is_cut(data, position):
                return
            raise
        yield field
        position = field.end


def _is_cut(data: bytes, position: int) -> bool:
    """Whether the field at `position` only lacks bytes behind the end of the data."""
    try:
        key, after = varint(data, position, len(data))
    except Malformed:
        return len(data) - position < 10
    if not 8 <= key < 1 << 32 or key & 7 not in (0, 1, 2, 5):
        return False
    if key & 7 in (0, 2):
        try:
            varint(data, after, len(data))
        except Malformed:
            return len(data) - after < 10
    return True
