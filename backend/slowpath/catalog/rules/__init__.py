"""Pure decisions of the catalog: names, the order of services, what other people's deploy messages say."""

from slowpath.catalog.rules.deploy_messages import DeployTold, NotADeploy, read_deploy
from slowpath.catalog.rules.flow import Edge, flow_order
from slowpath.catalog.rules.go_mod import GoMod, read_go_mod
from slowpath.catalog.rules.identity import IDENTITY_PARTS, meant
from slowpath.catalog.rules.slugs import slug_of

__all__ = [
    "IDENTITY_PARTS",
    "DeployTold",
    "Edge",
    "GoMod",
    "NotADeploy",
    "flow_order",
    "meant",
    "read_deploy",
    "read_go_mod",
    "slug_of",
]
