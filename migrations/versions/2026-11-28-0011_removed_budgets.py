"""An event of a budget that is removed closes with that reason; the evaluation of the budget stays on its page.

Code before this version closes no event for that reason, and expects a budget on each row that it reads: it can run with
this version until a budget of an event is removed.
"""

from alembic import op

revision = "20261128_0011"
down_revision = "20261128_0010"
branch_labels = None
depends_on = None

BUDGET = "fk_production_event_budget_team_id_budget_id"
REASON = "ck_production_event_closed_reason"


def upgrade() -> None:
    op.execute(
        "-- squawk-ignore ban-drop-not-null\nALTER TABLE production_event_budget ALTER COLUMN budget_id DROP NOT NULL"
    )
    _refer("ON DELETE SET NULL (budget_id)")
    _allow("'recovered', 'rolled-back', 'fixed', 'budget-removed'")


def downgrade() -> None:
    op.execute("UPDATE production_event SET closed_reason = 'recovered' WHERE closed_reason = 'budget-removed'")
    _allow("'recovered', 'rolled-back', 'fixed'")
    op.execute("DELETE FROM production_event_budget WHERE budget_id IS NULL")
    _refer("ON DELETE CASCADE")
    op.execute("ALTER TABLE production_event_budget ALTER COLUMN budget_id SET NOT NULL")


def _refer(on_delete: str) -> None:
    """Replace a reference of a table that has few rows: one per budget of an event."""
    op.execute(f"-- squawk-ignore ban-drop-constraint\nALTER TABLE production_event_budget DROP CONSTRAINT {BUDGET}")
    op.execute(f"""
    -- squawk-ignore constraint-missing-not-valid, adding-foreign-key-constraint
    ALTER TABLE production_event_budget ADD CONSTRAINT {BUDGET} FOREIGN KEY (team_id, budget_id)
        REFERENCES budget (team_id, id) {on_delete}
    """)


def _allow(reasons: str) -> None:
    op.execute(f"-- squawk-ignore ban-drop-constraint\nALTER TABLE production_event DROP CONSTRAINT {REASON}")
    op.execute(
        "-- squawk-ignore constraint-missing-not-valid\n"
        f"ALTER TABLE production_event ADD CONSTRAINT {REASON} CHECK (closed_reason in ({reasons}))"
    )
