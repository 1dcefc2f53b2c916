"""Which token or service account sent a file, an upload or a build: it may see and finish what is its own.

Adds columns; older code does not see them. What was sent before has no owner, so tokens that only upload no longer see it.
"""

from alembic import op

revision = "20261122_0450"
down_revision = "20261122_0400"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE artifact ADD COLUMN program_id uuid")
    op.execute("ALTER TABLE upload ADD COLUMN program_id uuid")
    op.execute("ALTER TABLE build ADD COLUMN program_id uuid, ADD COLUMN sender_ids uuid[] NOT NULL DEFAULT '{}'")


def downgrade() -> None:
    op.execute("ALTER TABLE build DROP COLUMN sender_ids, DROP COLUMN program_id")
    op.execute("ALTER TABLE upload DROP COLUMN program_id")
    op.execute("ALTER TABLE artifact DROP COLUMN program_id")
