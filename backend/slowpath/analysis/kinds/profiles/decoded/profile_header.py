"""The header of a decoded profile (`slowpath.profile`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from slowpath.analysis.formats.column_file import ColumnFileError, ColumnHeader
from slowpath.analysis.formats.header_members import HeaderMembers
from slowpath.units import Nanoseconds


@dataclass(frozen=True)
class SampleType:
    """What a sample value counts: `cpu` in `nanoseconds`, `alloc_space` in `bytes`."""

    type: str
    unit: str


@dataclass(frozen=True)
class ProfileMapping:
    """A binary or library that was mapped into the process."""

    file: str
    build_id: str


@dataclass(frozen=True)
class ProfileCounts:
    """Numbers of rows, and of frames on the deepest stack."""

    samples: int
    locations: int
    functions: int
    stacks: int
    frames_max: int


@dataclass(frozen=True)
class DecodedSource:
    """The file that was decoded. `encoding` is that of its bytes, `dialect` the format inside."""

    bytes: int
    bytes_unpacked: int
    encoding: str
    dialect: str


@dataclass(frozen=True, kw_only=True)
class ProfileHeader(ColumnHeader):
    """The header as the decoder writes it; `period` is in the unit of `period_type`."""

    format: Literal["slowpath.profile"] = "slowpath.profile"
    kind: str
    sample_types: Sequence[SampleType]
    default_sample_type: int
    period: int
    period_type: SampleType
    time_ns: Nanoseconds
    duration_ns: Nanoseconds
    mappings: Sequence[ProfileMapping] = ()
    comments: Sequence[str] = ()
    drop_frames: str = ""
    keep_frames: str = ""
    counts: ProfileCounts
    cut_samples: int = 0
    warnings: Sequence[str] = ()
    source: DecodedSource


def parse_profile_header(header: Mapping[str, object]) -> ProfileHeader:
    """Parse the header. Raises `ColumnFileError` if a member is missing or has another type."""
    members = HeaderMembers(header)
    types = tuple(SampleType(each.text("type"), each.text("unit")) for each in members.each("sample_types"))
    default = members.integer("default_sample_type")
    if not 0 <= default < len(types):
        raise ColumnFileError("header-damaged", f"default sample type {default} of {len(types)}")
    period_type, counts = members.inner("period_type", {}), members.inner("counts", {})
    return ProfileHeader(
        kind=members.text("kind"),
        sample_types=types,
        default_sample_type=default,
        period=members.integer("period", 0),
        period_type=SampleType(period_type.text("type", ""), period_type.text("unit", "")),
        time_ns=Nanoseconds(members.integer("time_ns", 0)),
        duration_ns=Nanoseconds(members.integer("duration_ns", 0)),
        mappings=tuple(
            ProfileMapping(each.text("file", ""), each.text("build_id", "")) for each in members.each("mappings", ())
        ),
        comments=members.texts("comments", ()),
        drop_frames=members.text("drop_frames", ""),
        keep_frames=members.text("keep_frames", ""),
        counts=ProfileCounts(**{name: counts.integer(name, 0) for name in ProfileCounts.__dataclass_fields__}),
        cut_samples=members.integer("cut_samples", 0),
        warnings=members.texts("warnings", ()),
        source=parse_source(members),
    )


def parse_source(header: HeaderMembers) -> DecodedSource:
    """Parse the file that was decoded, from the header of any kind. Raises `ColumnFileError`."""
    source = header.inner("source", {})
    return DecodedSource(
        bytes=source.integer("bytes", 0),
        bytes_unpacked=source.integer("bytes_unpacked", 0),
        encoding=source.text("encoding", ""),
        dialect=source.text("dialect", ""),
    )
