"""Record two processes in turns, which distributes drift and other load of the machine equally.

The order is that of ABBA blocks: drift that is linear over a block cancels. The first side of a block is random.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from slowpath_cli.collect.collect_plan import PlannedRecording
from slowpath_cli.collect.output_sinks import Sink
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget
from slowpath_cli.collect.recorder import CompletedRecording, Recording, record
from slowpath_cli.collect.run_observer import RunObserver
from slowpath_cli.core.collect_errors import CollectError


@dataclass
class Side:
    """One process to record, and the sink of its files. `name` is empty if there is only one side."""

    name: str
    client: PprofClient
    address: PprofTarget
    observer: RunObserver
    sink: Sink
    saved_count: int = 0
    failed: CollectError | None = None
    """The error that ended this side because a file could not be written; the other side continues."""
    problems: set[str] = field(default_factory=set)

    def keep(self, result: CompletedRecording) -> bool:
        """Write one file. Returns False on failure, which ends this side."""
        try:
            self.sink.put(result.recording.name, result.body, result.facts)
        except CollectError as error:
            self.failed = error
            return False
        self.saved_count += 1
        return True


def take_turns(
    sides: Sequence[Side], recordings: list[PlannedRecording], rng: random.Random
) -> Iterator[tuple[Side, Recording]]:
    """Yield each recording of every side before the next one; the order is reversed every second time of a kind."""
    iterators = {side.name: record(side.client, side.address, side.observer, recordings) for side in sides}
    order: list[Side] = []
    taken: Counter[str] = Counter()
    for recording in recordings:
        order = order[::-1] if taken[recording.kind] % 2 else rng.sample(list(sides), len(sides))
        taken[recording.kind] += 1
        for side in order:
            result = next(iterators[side.name], None) if side.failed is None else None
            if result is not None:
                yield side, result
