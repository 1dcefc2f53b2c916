"""Drop unused functions, validate a foreign key, and name a sequence after its table.

Older code can run with it. A downgrade does not restore the functions: no version from 20261122_0500 on calls them.
"""

from alembic import op

revision = "20261124_0900"
down_revision = "20261123_1000"
branch_labels = None
depends_on = None

UNUSED = (
    "due_jobs(integer)",
    "jobs_to_send(integer)",
    "find_token(bytea, timestamptz, timestamptz)",
)


def upgrade() -> None:
    op.execute("SET LOCAL ROLE slowpath_keeper")
    for function in UNUSED:
        op.execute(f"-- squawk-ignore ban-drop-function\nDROP FUNCTION IF EXISTS cross_team.{function}")
    op.execute("RESET ROLE")
    op.execute("ALTER TABLE artifact VALIDATE CONSTRAINT fk_artifact_team_id_build_id")
    op.execute("ALTER SEQUENCE metric_tail_id_seq RENAME TO metric_wal_record_id_seq")


def downgrade() -> None:
    op.execute("ALTER SEQUENCE metric_wal_record_id_seq RENAME TO metric_tail_id_seq")
