"""All tables in one metadata: a new database is created from it, and tests compare migrated ones with it."""

from slowpath.core import jobs, stored_blobs
from slowpath.core.table_base import Table
from slowpath.evidence import kind_registry  # has the tables of every artifact kind
from slowpath.evidence.artifacts import tables as uploads
from slowpath.evidence.metric_sources import tables as sources
from slowpath.evidence.metrics import tables as metrics
from slowpath.inventory.catalog import tables as catalog
from slowpath.inventory.repositories import tables as commits
from slowpath.inventory.webhooks import tables as hooks
from slowpath.operations.example_data import tables as example_data
from slowpath.operations.retention import tables as keeping
from slowpath.platform.accounts import tables as accounts
from slowpath.platform.jobs import tables as work
from slowpath.sharing.discussions import tables as discussions
from slowpath.sharing.embedded_panels import tables as embedded_panels
from slowpath.sharing.inbox import tables as inbox
from slowpath.sharing.notifications import tables as notifications
from slowpath.sharing.reports import tables as reports
from slowpath.sharing.subscriptions import tables as subscriptions
from slowpath.verdicts.bisects import tables as bisects
from slowpath.verdicts.budgets import tables as budgets
from slowpath.verdicts.comparisons import tables as comparisons
from slowpath.verdicts.compiler_evidence import tables as compiler_evidence
from slowpath.verdicts.gap_explanations import tables as explanations
from slowpath.verdicts.production_events import tables as production_events
from slowpath.verdicts.regressions import tables as regressions

FEATURES = (
    accounts, jobs, stored_blobs, work, catalog, commits, hooks, uploads, kind_registry, metrics, sources, explanations,
    comparisons, compiler_evidence, regressions, budgets, production_events, inbox, discussions, bisects, reports, notifications,
    embedded_panels, subscriptions, keeping, example_data,
)  # fmt: skip
METADATA = Table.metadata
