"""Pure decisions of the catalog: names, the order of services, what other people's deploy messages say."""

from slowpath.catalog.rules.deploy_messages import DeployTold, NotADeploy, read_deploy
from slowpath.catalog.rules.flow import Edge, flow_order
from slowpath.catalog.rules.slugs import slug_of

__all__ = ["DeployTold", "Edge", "NotADeploy", "flow_order", "read_deploy", "slug_of"]
