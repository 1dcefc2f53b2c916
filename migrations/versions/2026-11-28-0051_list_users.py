"""Operators encrypt the values of all users with a new key: a function lists them.

Code before this version does not call it.
"""

from alembic import op

revision = "20261128_0051"
down_revision = "20261128_0050"
branch_labels = None
depends_on = None

LIST_USERS = """
CREATE FUNCTION cross_team.list_user_ids()
    RETURNS TABLE (user_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT app_user.id FROM public.app_user ORDER BY app_user.id
$$;
REVOKE ALL ON FUNCTION cross_team.list_user_ids() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cross_team.list_user_ids() TO slowpath_cross_team;
"""


def upgrade() -> None:
    _as_keeper(LIST_USERS)


def downgrade() -> None:
    _as_keeper("-- squawk-ignore ban-drop-function\nDROP FUNCTION cross_team.list_user_ids()")


def _as_keeper(statements: str) -> None:
    op.execute("GRANT CREATE ON SCHEMA cross_team TO slowpath_keeper")
    op.execute("SET LOCAL ROLE slowpath_keeper")
    op.execute(statements)
    op.execute("RESET ROLE")
    op.execute("REVOKE CREATE ON SCHEMA cross_team FROM slowpath_keeper")
