"""Profiles are found by the build ID of their program.

Code before this version can run with it.
"""

from alembic import op

revision = "20261128_0030"
down_revision = "20261128_0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_profile_mappings",
        "profile",
        ["mappings"],
        postgresql_using="gin",
        postgresql_ops={"mappings": "jsonb_path_ops"},
    )


def downgrade() -> None:
    op.drop_index("ix_profile_mappings", "profile")
