"""Rows and views as the API tells them."""

from datetime import datetime

from slowpath.bisects.rules.offers import Offer
from slowpath.bisects.schemas import BisectOffer, BisectOut, BisectRow, LeaseOut, RunnerOut, RunningProbe
from slowpath.bisects.service.leasing import Lease
from slowpath.bisects.service.looking import Named
from slowpath.bisects.service.runners import Seen
from slowpath.bisects.tables import Bisect
from slowpath.core.sessions import ReadSession


def row_out(row: Bisect, named: Named) -> BisectRow:
    """Return a row of the list."""
    raise NotImplementedError


def whole_out(session: ReadSession, row: Bisect, now: datetime) -> BisectOut:
    """Return a bisect with all its page shows."""
    raise NotImplementedError


def offer_out(session: ReadSession, offer: Offer, now: datetime) -> BisectOffer:
    """Return what a bisect would begin with."""
    raise NotImplementedError


def runner_out(seen: Seen, now: datetime) -> RunnerOut:
    """Return a runner."""
    raise NotImplementedError


def lease_out(lease: Lease, public_url: str) -> LeaseOut:
    """Return what a runner is to deploy."""
    raise NotImplementedError


def running_out(lease: Lease, public_url: str) -> RunningProbe:
    """Return what a runner has."""
    raise NotImplementedError
