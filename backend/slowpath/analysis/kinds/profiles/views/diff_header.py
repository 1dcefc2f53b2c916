"""Headers of the column files of a diff view: the tree (`slowpath.diff`) and the tables of functions and lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from slowpath.analysis.formats.column_file import ColumnHeader
from slowpath.analysis.formats.former_names import FormerNames
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.stacks.granularities import Granularity

Part = Literal["all", "first", "rest", "subtree"]


@dataclass(frozen=True)
class DiffNormalization:
    """A normalization: a displayed value in `unit` is the raw value times the scale of its side."""

    id: str
    unit: str
    base_scale: float
    candidate_scale: float


@dataclass(frozen=True)
class DiffSide:
    """One side: its number of artifacts, and the sum of all its raw values."""

    label: str
    artifacts: int
    total_raw: float


@dataclass(frozen=True, kw_only=True)
class DiffHeader(ColumnHeader):
    """What all files of a view have. Columns of the tests end with the id of their normalization."""

    format: Literal["slowpath.diff", "slowpath.functions", "slowpath.lines"]
    kind: str
    sample_type: SampleType
    granularity: Granularity
    normalizations: Sequence[DiffNormalization]
    default_normalization: str
    categories: Sequence[str]
    base: DiffSide
    candidate: DiffSide


@dataclass(frozen=True, kw_only=True)
class DiffTreeHeader(DiffHeader):
    """A part of the tree: some of the nodes of all."""

    part: Part
    nodes_total: int
    nodes_sent: int


FORMER_DIFF_NAMES = FormerNames(names={"bases": "normalizations", "default_basis": "default_normalization"})
"""Names in views that were built earlier."""
