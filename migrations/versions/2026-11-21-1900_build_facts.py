"""What CI says of a build: the commit before it, its title and author, the pull request, how it ran.

Adds columns that may be null or have a default; older code does not see them.
"""

from alembic import op

revision = "20261121_1900"
down_revision = "20261121_1850"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE build ADD COLUMN parent varchar")
    op.execute("ALTER TABLE build ADD COLUMN title varchar")
    op.execute("ALTER TABLE build ADD COLUMN author varchar")
    op.execute("ALTER TABLE build ADD COLUMN pull_request jsonb")
    op.execute("ALTER TABLE build ADD COLUMN facts jsonb DEFAULT '{}' NOT NULL")


def downgrade() -> None:
    for column in ("facts", "pull_request", "author", "title", "parent"):
        op.execute(f"ALTER TABLE build DROP COLUMN {column}")
