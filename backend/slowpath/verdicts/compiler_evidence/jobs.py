"""Jobs of the compiler's evidence."""

from dataclasses import dataclass
from typing import ClassVar

from slowpath.core.ids import AssemblyId
from slowpath.core.jobs import Job, Queue


@dataclass(frozen=True)
class DisassembleFunction(Job):
    """Disassemble a function in the executables of one build or two."""

    name: ClassVar[str] = "assemblies.compute"
    queue: ClassVar[Queue] = Queue.DECODE
    subject_kind: ClassVar[str] = "assembly"

    assembly_id: AssemblyId
