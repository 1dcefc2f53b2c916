"""What the registry holds of an artifact kind."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from slowpath.analysis.findings.build_measurements import KindMeasurement, MeasurementKind
from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.findings.findings import Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.comparison_sides import KindSides, NamedArtifact

Progress = Callable[[str, float], None]


class KindComparison(Protocol):
    """The result of comparing the artifacts of one kind, or the latency of two time ranges."""

    @property
    def verdict(self) -> Verdict:
        """The verdict of this kind alone."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, the most important first."""

    @property
    def cost_shifts(self) -> tuple[CostShift, ...]:
        """Costs that changed their place and not their size."""

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """Reasons why the result may mislead."""

    @property
    def detectable(self) -> tuple[MinimumDetectableEffect, ...]:
        """The smallest effects that would have been found."""

    @property
    def reason(self) -> str | None:
        """Why nothing was found or decided, if no finding explains it."""


class ArtifactComparison(KindComparison, Protocol):
    """The result of comparing a kind of artifact that has a page."""

    def page(self, base_label: str, candidate_label: str) -> object:
        """Build the document of the page, which is one of `kind_registry.KindDocument`."""


def import_later(module: str, name: str) -> Callable[..., Any]:
    """Return a function that imports its implementation when it is called.

    The command line imports what it compares only: 0.1 of 0.4 CPU seconds (decision 0084).
    """

    def call(*arguments: object) -> object:
        return getattr(importlib.import_module(f"slowpath.analysis.kinds.{module}"), name)(*arguments)

    return call


@dataclass(frozen=True)
class ArtifactKind:
    """One kind of artifact.

    `id` is stored with artifacts; profiles append their type (`profile.cpu`). `section` names the kind in comparisons, in
    URLs and for `--gate`. `summary_field` is the member of an artifact on the wire that holds its summary.
    """

    id: str
    section: str
    summary_field: str
    noun_plural: str
    command: str
    """Command of the decode helper."""
    formats: tuple[str, ...]
    """Formats that the helper's `sniff` reports."""
    measurements: Mapping[str, tuple[MeasurementKind, ...]]
    """What is measured of a build's artifacts, by the id they are stored with: every such id, in display order."""
    read_artifact: Callable[[DecodedColumns], NamedArtifact] | None = None
    """Read decoded columns. None: they are not compared or measured."""
    compare: Callable[[KindSides, Progress], ArtifactComparison] | None = None
    """Compare two sides that both have artifacts. None: profiles, which have views, and kinds that are not compared."""
    measure_build: Callable[[str, Sequence[NamedArtifact], int], Sequence[KindMeasurement]] | None = None
    """Measure artifacts that are stored with an id; the last argument is the largest number of functions."""
    samples_field: str = ""
    """Member of the decoder's summary with the number of samples, events or results; "" if there is none."""
    compare_command: str | None = None
    """Command of the decode helper whose output about both sides' columns `compare` requires."""
    headline_noun: str = ""
    """Noun of headlines, if it differs."""
    finding_prefix: str = ""
    """Prefix of the kinds of findings. Profiles have none: their findings name the kind of profile."""
    cost_weight: float = 0.0
    """Share of a comparison's progress, in relation to the other kinds."""
    measures_cost: bool = False
    """Whether it measures time of requests or operations."""
    is_specific: bool = False
    """Whether its caveats are listed before those of profiles."""
    findings_rank: int = 3
    """Of findings with equal cost, those of the kind with the lowest rank are first."""

    @property
    def verdict_noun(self) -> str:
        """Return the noun of headlines."""
        return self.headline_noun or self.noun_plural


@dataclass(frozen=True)
class RegisteredNames:
    """Annotation of a text: the JSON schema lists the names that are registered."""

    names: Callable[[], Sequence[str]] = field(repr=False)

    def __get_pydantic_json_schema__(
        self, schema: object, handler: Callable[[object], dict[str, Any]]
    ) -> dict[str, Any]:
        """Add the names to the schema."""
        return {**handler(schema), "enum": list(self.names())}

    def check(self, name: str) -> str:
        """Return the name. Raises `ValueError` if it is not registered."""
        if name not in self.names():
            raise ValueError(f"use one of {', '.join(self.names())}")
        return name
