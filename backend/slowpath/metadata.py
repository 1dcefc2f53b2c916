"""All tables of the house in one metadata: what migrations and tests compare the database with."""

from slowpath.accounts import tables as accounts
from slowpath.benchmarks import tables as benchmarks
from slowpath.bisects import tables as bisects
from slowpath.catalog import tables as catalog
from slowpath.commits import tables as commits
from slowpath.comparisons import tables as comparisons
from slowpath.core import jobs
from slowpath.core.tables import Table
from slowpath.discussions import tables as discussions
from slowpath.explanations import tables as explanations
from slowpath.growth import tables as growth
from slowpath.hooks import tables as hooks
from slowpath.keeping import tables as keeping
from slowpath.metrics import tables as metrics
from slowpath.notifications import tables as notifications
from slowpath.profiles import tables as profiles
from slowpath.regressions import tables as regressions
from slowpath.reports import tables as reports
from slowpath.sources import tables as sources
from slowpath.spans import tables as spans
from slowpath.traces import tables as traces
from slowpath.uploads import tables as uploads
from slowpath.work import tables as work

FEATURES = (
    accounts, jobs, work, catalog, commits, hooks, uploads, profiles, traces, metrics, sources, spans, growth, benchmarks,
    explanations, comparisons, regressions, discussions, bisects, reports, notifications, keeping,
)  # fmt: skip
METADATA = Table.metadata
