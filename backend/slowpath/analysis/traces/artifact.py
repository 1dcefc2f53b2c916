"""An artifact that can be compared: a decoded execution trace with its name and its facts."""

from dataclasses import dataclass

from slowpath.analysis.facts import Facts
from slowpath.analysis.traces.trace_table import TraceTable


@dataclass(frozen=True)
class TraceArtifact:
    """One trace of a set. `name` is what people see; `id` is what the page asks for tiles by, where it has one."""

    name: str
    table: TraceTable
    facts: Facts
    id: str | None = None
