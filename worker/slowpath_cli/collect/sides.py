"""Collecting from two processes in turns, so that whatever else happens on the machine falls on both alike.

Sides captured one after the other differ by everything that changed in between; sides captured in turns do not. The order
is that of ABBA blocks: a drift that is linear over a block cancels. Which side begins a block is drawn at random.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from slowpath_cli.collect.collect_plan import PlannedRecording
from slowpath_cli.collect.output_sinks import Sink
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget
from slowpath_cli.collect.recorder import CompletedRecording, FailedRecording, record
from slowpath_cli.collect.run_observer import RunObserver
from slowpath_cli.core.collect_errors import CollectError


@dataclass
class Side:
    """One process to collect from, and where its set goes. `name` is empty where there is one side only."""

    name: str
    client: PprofClient
    address: PprofTarget
    observer: RunObserver
    sink: Sink
    kept: int = 0
    failed: CollectError | None = None
    """Why the files of this side can no longer be written: it ends, the other goes on."""
    problems: set[str] = field(default_factory=set)

    def keep(self, result: CompletedRecording) -> bool:
        """Write one file; False if that failed, after which this side is over."""
        try:
            self.sink.put(result.recording.name, result.body, result.facts)
        except CollectError as error:
            self.failed = error
            return False
        self.kept += 1
        return True


def take_turns(
    sides: Sequence[Side], recordings: list[PlannedRecording], draw: random.Random
) -> Iterator[tuple[Side, CompletedRecording | FailedRecording]]:
    """Take each recording of every side before the next one, in an order that is turned around each second time of a kind."""
    under_way = {side.name: record(side.client, side.address, side.observer, recordings) for side in sides}
    order: list[Side] = []
    taken: Counter[str] = Counter()
    for recording in recordings:
        order = order[::-1] if taken[recording.kind] % 2 else draw.sample(list(sides), len(sides))
        taken[recording.kind] += 1
        for side in order:
            result = next(under_way[side.name], None) if side.failed is None else None
            if result is not None:
                yield side, result
