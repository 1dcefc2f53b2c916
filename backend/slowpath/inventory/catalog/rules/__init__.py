"""Pure decisions of the catalog: slugs, the service order, parsing of deployment events."""

from slowpath.inventory.catalog.rules.build_identity import IDENTITY_PARTS, match_build
from slowpath.inventory.catalog.rules.deployment_events import (
    DeploymentEvent,
    NotADeploymentEvent,
    parse_deployment_event,
)
from slowpath.inventory.catalog.rules.go_mod import GoMod, read_go_mod
from slowpath.inventory.catalog.rules.service_order import CallEdge, sort_services_by_calls
from slowpath.inventory.catalog.rules.slugs import make_slug

__all__ = [
    "IDENTITY_PARTS",
    "CallEdge",
    "DeploymentEvent",
    "GoMod",
    "NotADeploymentEvent",
    "make_slug",
    "match_build",
    "parse_deployment_event",
    "read_go_mod",
    "sort_services_by_calls",
]
