"""HTTP endpoint of callbacks: a pipeline or a webhook receiver has only the secret of its run."""

from typing import Annotated

from fastapi import APIRouter, Path, Request

from slowpath.core.db_sessions import TeamScope
from slowpath.core.errors import Conflict, Gone, InvalidRequest, LimitExceeded, NotFound
from slowpath.platform.accounts.access import Anyone, Throttled, client_address
from slowpath.platform.accounts.rules.request_origin import rate_limit_key
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import DatabaseOf, Now
from slowpath.verdicts.bisects.rules.bisect_states import CALLBACKS_PER_MINUTE
from slowpath.verdicts.bisects.schemas.runner_protocol import ProbeCallbackIn
from slowpath.verdicts.bisects.service import probe_callbacks

router = APIRouter(tags=["runners"])
Secret = Annotated[str, Path(max_length=100)]


@router.post(
    "/probe-callbacks/{secret}",
    operation_id="probes:callback",
    status_code=204,
    responses=document_problems(NotFound, Gone, Conflict, InvalidRequest, LimitExceeded),
)
def receive_probe_callback(
    _anyone: Anyone,
    request: Request,
    secret: Secret,
    body: ProbeCallbackIn,
    database: DatabaseOf,
    throttle: Throttled,
    clock: Now,
) -> None:
    """Record the state of a deployment. Each state is accepted once; repetitions change nothing."""
    times, seconds = CALLBACKS_PER_MINUTE
    if not throttle.hit(f"callbacks:{rate_limit_key(client_address(request))}", times=times, seconds=seconds):
        raise LimitExceeded(
            "Too many callbacks from this address.", limit=times, unit=f"times in {seconds} s", remedy="Wait a minute."
        )
    team_id, probe_id = probe_callbacks.get_callback_probe(database, secret)
    with database.writing(TeamScope(team_id)) as session:
        probe, is_new = probe_callbacks.record_callback(session, probe_id, body.state, body.detail, now=clock.now())
        if is_new:
            record_audit_event(session, None, "probe.callback-received", "probe", probe.id, {"state": body.state})
