"""Change points of gauges, events of load, of gauges and of slow deployments, and messages of them.

Code before this version can run with it: it writes the default kind.
"""

from alembic import op

revision = "20261128_0320"
down_revision = "20261128_0051"
branch_labels = None
depends_on = None

PLACE = "uq_metric_change_point_place"
CHECKS = {
    ("metric_change_point", "signal"): (
        "signal in ('p50', 'p90', 'p99', 'mean', 'qps')",
        "signal in ('p50', 'p90', 'p99', 'mean', 'qps', 'gauge')",
    ),
    ("production_event", "signal"): (
        "signal in ('p50', 'p90', 'p99', 'mean')",
        "signal in ('p50', 'p90', 'p99', 'mean', 'qps', 'gauge')",
    ),
    ("production_event", "cause"): (
        "cause in ('deployment', 'unexplained', 'budget')",
        "cause in ('deployment', 'unexplained', 'budget', 'load')",
    ),
    ("production_event", "closed_reason"): (
        "closed_reason in ('recovered', 'rolled-back', 'fixed', 'budget-removed')",
        "closed_reason in ('recovered', 'rolled-back', 'fixed', 'budget-removed', 'settled', 'joined')",
    ),
}


def upgrade() -> None:
    op.execute("ALTER TABLE metric_change_point ADD COLUMN gauge varchar DEFAULT '' NOT NULL")
    op.execute("ALTER TABLE production_event ADD COLUMN gauge varchar DEFAULT '' NOT NULL")
    op.execute("ALTER TABLE production_event ADD COLUMN kind varchar DEFAULT 'latency' NOT NULL")
    _replace_checks(1)
    _check("metric_change_point", "gauge", "(signal = 'gauge') = (gauge <> '')")
    _check("production_event", "kind", "kind in ('latency', 'slow-deployment', 'load', 'gauge')")
    _set_place("team_id, environment_id, service_id, signal, gauge, at_ms")
    op.execute(
        "UPDATE production_event SET kind = 'slow-deployment' WHERE announced_at IS NULL AND number IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM production_event_change_point point"
        " WHERE point.team_id = production_event.team_id AND point.event_id = production_event.id)"
    )


def downgrade() -> None:
    op.execute("DELETE FROM production_event WHERE kind IN ('load', 'gauge')")
    op.execute("DELETE FROM metric_change_point WHERE signal = 'gauge'")
    op.execute("UPDATE production_event SET closed_reason = 'recovered' WHERE closed_reason IN ('settled', 'joined')")
    _replace_checks(0)
    _set_place("team_id, environment_id, service_id, signal, at_ms")
    op.execute("ALTER TABLE metric_change_point DROP COLUMN gauge")
    op.execute("ALTER TABLE production_event DROP COLUMN kind")
    op.execute("ALTER TABLE production_event DROP COLUMN gauge")


def _replace_checks(version: int) -> None:
    for (table, name), conditions in CHECKS.items():
        op.execute(f"-- squawk-ignore ban-drop-constraint\nALTER TABLE {table} DROP CONSTRAINT ck_{table}_{name}")
        _check(table, name, conditions[version])


def _check(table: str, name: str, condition: str) -> None:
    """Add a check to a table that has few rows: change points and events."""
    op.execute(
        "-- squawk-ignore constraint-missing-not-valid\n"
        f"ALTER TABLE {table} ADD CONSTRAINT ck_{table}_{name} CHECK ({condition})"
    )


def _set_place(columns: str) -> None:
    op.execute(f"-- squawk-ignore ban-drop-constraint\nALTER TABLE metric_change_point DROP CONSTRAINT {PLACE}")
    op.execute(
        "-- squawk-ignore disallowed-unique-constraint, constraint-missing-not-valid\n"
        f"ALTER TABLE metric_change_point ADD CONSTRAINT {PLACE} UNIQUE ({columns})"
    )
