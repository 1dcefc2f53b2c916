"""Flows through an identity provider. One browser starts and finishes a flow, once: it holds the sealed flow in a cookie."""

import hmac
import json
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.core.encryption import DecryptionError, SecretEncryptor
from slowpath.core.ids import UserId
from slowpath.core.ports import OidcIssuerPort, RateLimiter, SamlProviderPort
from slowpath.platform.accounts.errors import ProviderResponseRejected
from slowpath.platform.accounts.rules.provider_flow import (
    FLOW_SECONDS,
    FlowGoal,
    ProviderFlow,
    SignInProtocol,
    safe_return_path,
)
from slowpath.platform.accounts.service.users import count_sign_in_by_address

PURPOSE = UUID("5f0f2c4e-6d0b-4b55-9a4b-0f6b1f1f7a11")
"""The encryption purpose of a flow, so that no other encrypted value is accepted as one."""
AGAIN = "Start again in one browser, at the public address of Slowpath."


@dataclass(frozen=True)
class StartedFlow:
    """The address to send the browser to, and the cookie it must return."""

    url: str
    sealed: bytes


def start_oidc_flow(
    issuer: OidcIssuerPort,
    sealer: SecretEncryptor,
    throttle: RateLimiter,
    goal: FlowGoal,
    *,
    redirect_uri: str,
    address: str,
    now: datetime,
) -> StartedFlow:
    """Start a flow by OpenID Connect. Raises `LimitExceeded`, and the errors of `OidcIssuerPort.begin`."""
    count_sign_in_by_address(throttle, address)
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    forces = goal.confirms is not None
    url = issuer.begin(redirect_uri=redirect_uri, state=state, nonce=nonce, verifier=verifier, forces_sign_in=forces)
    return StartedFlow(url, _seal(sealer, goal, "oidc", state=state, nonce=nonce, verifier=verifier, now=now))


def start_saml_flow(
    provider: SamlProviderPort,
    sealer: SecretEncryptor,
    throttle: RateLimiter,
    goal: FlowGoal,
    *,
    address: str,
    now: datetime,
) -> StartedFlow:
    """Start a flow by SAML. Raises `LimitExceeded`."""
    count_sign_in_by_address(throttle, address)
    state = secrets.token_urlsafe(32)
    url, request_id = provider.begin(relay_state=state, forces_sign_in=goal.confirms is not None)
    return StartedFlow(url, _seal(sealer, goal, "saml", state=state, nonce=request_id, verifier="", now=now))


def _seal(
    sealer: SecretEncryptor,
    goal: FlowGoal,
    protocol: SignInProtocol,
    *,
    state: str,
    nonce: str,
    verifier: str,
    now: datetime,
) -> bytes:
    flow_state = {
        "protocol": protocol,
        "state": state,
        "nonce": nonce,
        "verifier": verifier,
        "next": safe_return_path(goal.next_path),
        "link": None if goal.link is None else str(goal.link),
        "invitation": goal.invitation,
        "confirms": None if goal.confirms is None else str(goal.confirms),
        "until": (now + timedelta(seconds=FLOW_SECONDS)).isoformat(),
    }
    return sealer.seal(json.dumps(flow_state), PURPOSE)


def verify_flow(
    sealer: SecretEncryptor,
    throttle: RateLimiter,
    sealed: bytes | None,
    protocol: SignInProtocol,
    *,
    state: str,
    now: datetime,
) -> ProviderFlow:
    """Return the flow that this browser started; it can be finished once. Raises `ProviderResponseRejected`."""
    if sealed is None:
        raise ProviderResponseRejected(
            "This browser has no sign-in in progress, or the sign-in took too long.", remedy=AGAIN
        )
    try:
        flow_state = json.loads(sealer.unseal(sealed, PURPOSE))
    except (DecryptionError, ValueError) as error:
        raise ProviderResponseRejected(
            "The sign-in cookie of this browser cannot be decrypted.", remedy=AGAIN
        ) from error
    link, confirms = flow_state["link"], flow_state.get("confirms")  # earlier versions know no confirmation
    flow = ProviderFlow(
        flow_state["state"],
        flow_state["nonce"],
        flow_state["verifier"],
        flow_state["next"],
        None if link is None else UserId(UUID(link)),
        flow_state["invitation"],
        datetime.fromisoformat(flow_state["until"]),
        None if confirms is None else UUID(confirms),
    )
    is_same_protocol = flow_state.get("protocol", "oidc") == protocol  # earlier versions know one protocol
    if not is_same_protocol or not hmac.compare_digest(flow.state.encode(), state.encode()):
        raise ProviderResponseRejected("The response belongs to another sign-in.", remedy=AGAIN)
    if flow.until <= now:
        raise ProviderResponseRejected("The sign-in took too long.", limit=FLOW_SECONDS, unit="seconds", remedy=AGAIN)
    if not throttle.hit(f"sign-in-state:{state}", times=1, seconds=FLOW_SECONDS):
        raise ProviderResponseRejected("The response was already used.", remedy=AGAIN)
    return flow
