"""Wait until uploaded files are decoded and their build has a verdict, and map the verdict to an exit code."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.core.collect_errors import RequestDeclined

REGRESSED, INCONCLUSIVE, PASSED = 1, 3, 0
FIRST_PAUSE_S, MAX_PAUSE_S = 0.5, 5.0
NOT_DECODED = frozenset({"received", "decoding"})
NOT_EVALUATED = frozenset({"pending", "evaluating"})
SLOWER = frozenset({"regressed", "mixed"})
SETTLED = frozenset({"unchanged", "improved"})
MISSING_VERDICT_S = 60.0
"""Maximum wait for a verdict to exist: the evaluation starts seconds after the last file was decoded."""


@dataclass(frozen=True)
class KindResult:
    """The verdict on one kind of artifact; `is_announced`: it changed, with the certainty that a failed check requires."""

    verdict: str
    is_announced: bool


@dataclass(frozen=True)
class GateResult:
    """Files that could not be decoded, and the verdict; `state` is None without one. `kinds`: verdicts by kind."""

    unread: tuple[str, ...]
    build_id: str | None
    state: str | None
    sentence: str
    kinds: Mapping[str, KindResult] = field(default_factory=dict)

    def exit_code(self, gate: Sequence[str] = ()) -> int:
        """Return 1 for a regression, 3 if inconclusive or missing, 0 otherwise; `gate` names the kinds that count.

        Without `gate` the verdict on the build counts. With it, 3 also if a named kind was not compared.
        """
        if gate:
            return self._exit_code_of_kinds(gate)
        if self.state == "changed":
            return REGRESSED
        if self.unread or self.state in {None, "inconclusive"} or self.state in NOT_EVALUATED:
            return INCONCLUSIVE
        return PASSED

    def _exit_code_of_kinds(self, gate: Sequence[str]) -> int:
        found = [self.kinds.get(kind) for kind in gate]
        if any(each is not None and each.is_announced and each.verdict in SLOWER for each in found):
            return REGRESSED
        if self.unread or self.state is None or self.state in NOT_EVALUATED:
            return INCONCLUSIVE
        # A change without the certainty of an announcement is inconclusive, as the verdict on the build is.
        is_settled = all(each is not None and each.verdict in SETTLED for each in found)
        return PASSED if is_settled else INCONCLUSIVE


class VerdictPoller:
    """Polls with increasing pauses until the verdict is final or the timeout expires."""

    def __init__(
        self,
        server: UploadClient,
        seconds: float,
        pause: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Wait at most `seconds` in total."""
        self._server = server
        self._until = now() + seconds
        self._pause = pause
        self._now = now

    def ended(self, artifact_ids: Sequence[str], build_id: str | None) -> GateResult:
        """Return the verdict, or the state when the timeout expires. Raises the errors of `UploadClient`."""
        unread = tuple(problem for problem in map(self._wait_until_decoded, artifact_ids) if problem)
        if build_id is None:
            return GateResult(unread, build_id, None, "The files belong to no build.")
        if artifact_ids and len(unread) == len(artifact_ids):
            return GateResult(unread, build_id, None, "None of the files could be decoded.")
        return GateResult(unread, build_id, *self._poll_verdict(build_id))

    def _wait_until_decoded(self, artifact_id: str) -> str | None:
        pause = FIRST_PAUSE_S
        while True:
            artifact = self._server.artifact(artifact_id)
            if artifact["state"] == "decoded":
                return None
            if artifact["state"] not in NOT_DECODED:
                return f"{artifact['name']}: {(artifact.get('error') or {}).get('detail', artifact['state'])}"
            if self._now() >= self._until:
                return f"{artifact['name']}: not decoded yet"
            pause = self._again(pause)

    def _poll_verdict(self, build_id: str) -> tuple[str | None, str, dict[str, KindResult]]:
        pause, missing_until = FIRST_PAUSE_S, self._now() + MISSING_VERDICT_S
        while True:
            verdict = self._get_verdict(build_id)
            if verdict is not None and verdict[0] not in NOT_EVALUATED:
                return verdict
            if self._now() >= self._until or (verdict is None and self._now() >= missing_until):
                return verdict or (None, "The build has no verdict.", {})
            pause = self._again(pause)

    def _get_verdict(self, build_id: str) -> tuple[str, str, dict[str, KindResult]] | None:
        try:
            verdict = self._server.get_build_verdict(build_id)
        except RequestDeclined as error:
            if error.status != 404:
                raise
            return None
        kinds = {
            str(each["kind"]): KindResult(str(each["verdict"]), each["is_announced"] is True)
            for each in verdict.get("kinds", [])  # servers of earlier versions send none
        }
        return str(verdict["state"]), str(verdict["sentence"]), kinds

    def _again(self, pause: float) -> float:
        self._pause(min(pause, max(self._until - self._now(), 0.0)))
        return min(pause * 1.5, MAX_PAUSE_S)
