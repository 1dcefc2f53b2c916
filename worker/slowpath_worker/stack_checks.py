"""Run the check of an executable on the hot paths of an earlier build."""

from contextlib import ExitStack

from slowpath.analysis.comparison.stack_sizes import list_stack_warnings
from slowpath.verdicts.regressions.read_models import StackCheck
from slowpath.verdicts.regressions.service.stack_checks import PendingStackCheck
from slowpath_worker.decode_helper import DecodeHelper, InvalidArtifact
from slowpath_worker.job_context import JobContext

NO_FUNCTION = "-"
"""No function has this key: only hot paths are compared."""


def check_stack_sizes(context: JobContext, pending: PendingStackCheck | None) -> StackCheck | None:
    """Return the check of a build's executable, without warnings for different architectures; None if none is pending."""
    if pending is None:
        return None
    context.progress("checking stack sizes", 0.75)
    with ExitStack() as stack:
        base, candidate = (
            stack.enter_context(context.blobs.local(key)) for key in (pending.base_binary, pending.candidate_binary)
        )
        profiles = [stack.enter_context(context.blobs.local(key)) for key in pending.profiles]
        helper = DecodeHelper(context.settings, context.check)
        try:
            report = helper.compare_binaries(
                (base, candidate), (profiles, ()), "cpu", [NO_FUNCTION], pgo_sha256=pending.pgo_sha256
            )
        except InvalidArtifact:
            return StackCheck(pending.digest, pending.commit, ())
    return StackCheck(pending.digest, pending.commit, tuple(list_stack_warnings(report)))
