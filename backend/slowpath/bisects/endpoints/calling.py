"""What a deploy itself tells: a pipeline or a webhook's receiver knows nothing but the secret of its run."""

from typing import Annotated

from fastapi import APIRouter, Path, Request

from slowpath.accounts.access import Anyone, Throttled, client_address
from slowpath.accounts.rules.origins import address_key
from slowpath.accounts.service import audit
from slowpath.bisects.rules.states import CALLBACKS_PER_MINUTE
from slowpath.bisects.schemas.running import ProbeCallbackIn
from slowpath.bisects.service import calling_back
from slowpath.core.errors import Conflict, Gone, NotFound, Refused, TooMany
from slowpath.core.sessions import Scope
from slowpath.web.problems import problems
from slowpath.web.sessions import DatabaseOf, Now

router = APIRouter(tags=["runners"])
Secret = Annotated[str, Path(max_length=100)]


@router.post(
    "/probe-callbacks/{secret}",
    operation_id="probes:callback",
    status_code=204,
    responses=problems(NotFound, Gone, Conflict, Refused, TooMany),
)
def call_back(
    _anyone: Anyone,
    request: Request,
    secret: Secret,
    wanted: ProbeCallbackIn,
    database: DatabaseOf,
    throttle: Throttled,
    clock: Now,
) -> None:
    """Tell how a deploy fares. Each state can be told once; told again, nothing changes."""
    times, seconds = CALLBACKS_PER_MINUTE
    if not throttle.hit(f"callbacks:{address_key(client_address(request))}", times=times, seconds=seconds):
        raise TooMany(
            "This address called back too often.", limit=times, unit=f"times in {seconds} s", remedy="Wait a minute."
        )
    team_id, probe_id = calling_back.find(database, secret)
    with database.writing(Scope(team_id)) as session:
        probe, is_new = calling_back.tell(session, probe_id, wanted.state, wanted.detail, now=clock.now())
        if is_new:
            audit(session, None, "probe.called-back", "probe", probe.id, {"state": wanted.state})
