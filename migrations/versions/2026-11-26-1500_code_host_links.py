"""Repositories at Bitbucket and Gitea are linked, and a repository may have its own address of files.

Code before this version ignores the column, and links the new kinds as unknown hosts, so it can run with it.
"""

from alembic import op

revision = "20261126_1500"
down_revision = "20261126_1300"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE repository ADD COLUMN file_template character varying")
    _allow("'github', 'gitlab', 'bitbucket', 'gitea', 'other', 'pushed'")


def downgrade() -> None:
    op.execute("UPDATE repository SET kind = 'other' WHERE kind IN ('bitbucket', 'gitea')")
    _allow("'github', 'gitlab', 'other', 'pushed'")
    op.execute("ALTER TABLE repository DROP COLUMN file_template")


def _allow(kinds: str) -> None:
    """Replace the allowed kinds. A team has at most 200 repositories: the check of all rows takes no time."""
    op.execute("-- squawk-ignore ban-drop-constraint\nALTER TABLE repository DROP CONSTRAINT ck_repository_kind")
    constraint = f"ck_repository_kind CHECK (kind in ({kinds}))"
    op.execute(f"-- squawk-ignore constraint-missing-not-valid\nALTER TABLE repository ADD CONSTRAINT {constraint}")
