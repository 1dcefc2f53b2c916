"""Artifacts know the archive they were unpacked from, and their folder in it.

Code before this version ignores both columns.
"""

from alembic import op

revision = "20261126_1400"
down_revision = "20261124_1000"
branch_labels = None
depends_on = None


QUICK = "-- squawk-ignore constraint-missing-not-valid, adding-foreign-key-constraint\n"
"""The column was just added without a value in any row: validating it reads the table once, within the lock of the column."""


def upgrade() -> None:
    op.execute("ALTER TABLE artifact ADD COLUMN archive_id uuid, ADD COLUMN folder varchar")
    op.execute(
        f"{QUICK}ALTER TABLE artifact ADD CONSTRAINT fk_artifact_team_id_archive_id FOREIGN KEY (team_id, archive_id) "
        "REFERENCES artifact (team_id, id) ON DELETE SET NULL (archive_id)"
    )
    op.execute("CREATE INDEX ix_artifact_archive ON artifact (team_id, archive_id)")


def downgrade() -> None:
    op.execute("DROP INDEX ix_artifact_archive")
    op.execute("ALTER TABLE artifact DROP COLUMN archive_id, DROP COLUMN folder")
