"""Channels of Grafana, a link to its dashboard, and panels that other sites show in a frame.

Code before this version does not know the columns and the table, so it can run with them.
"""

from alembic import op

revision = "20261127_1640"
down_revision = "20261127_1630"
branch_labels = None
depends_on = None

FORMER_KINDS = "'slack', 'slack-app', 'email', 'webhook', 'github', 'gitlab', 'pagerduty', 'opsgenie', 'teams'"
CREATE = """
ALTER TABLE share_settings
    ADD COLUMN embedding_origins varchar[] DEFAULT '{}' NOT NULL,
    ADD COLUMN dashboard_url varchar DEFAULT '' NOT NULL;
CREATE TABLE embedded_panel (
    service_id uuid NOT NULL,
    environment_id uuid NOT NULL,
    panel varchar NOT NULL,
    split_label varchar,
    length_ms bigint NOT NULL,
    until_ms bigint,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    created_by uuid,
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_embedded_panel PRIMARY KEY (team_id, id),
    CONSTRAINT ck_embedded_panel_panel CHECK (panel in ('requests', 'latency')),
    CONSTRAINT fk_embedded_panel_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_embedded_panel_created_by FOREIGN KEY (created_by) REFERENCES app_user (id) ON DELETE SET NULL,
    CONSTRAINT fk_embedded_panel_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_embedded_panel_team_id_environment_id FOREIGN KEY (team_id, environment_id)
        REFERENCES environment (team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_embedded_panel_service ON embedded_panel (team_id, service_id, created_at, id);
CREATE INDEX ix_embedded_panel_environment ON embedded_panel (team_id, environment_id);
CREATE INDEX ix_embedded_panel_created_by ON embedded_panel (created_by);
ALTER TABLE embedded_panel ENABLE ROW LEVEL SECURITY;
ALTER TABLE embedded_panel FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON embedded_panel FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON embedded_panel TO slowpath_app;
"""


def upgrade() -> None:
    op.execute(CREATE)
    _allow_kinds(f"{FORMER_KINDS}, 'grafana'")


def downgrade() -> None:
    # The owner sees no row while row-level security is forced.
    op.execute("ALTER TABLE notification_channel NO FORCE ROW LEVEL SECURITY")
    op.execute("DELETE FROM notification_channel WHERE kind = 'grafana'")
    op.execute("ALTER TABLE notification_channel FORCE ROW LEVEL SECURITY")
    _allow_kinds(FORMER_KINDS)
    op.execute("DROP TABLE embedded_panel")
    op.execute("ALTER TABLE share_settings DROP COLUMN embedding_origins, DROP COLUMN dashboard_url")


def _allow_kinds(kinds: str) -> None:
    """Replace the kinds of channels. A team has few channels: checking all rows takes no time."""
    name = "ck_notification_channel_kind"
    op.execute(f"-- squawk-ignore ban-drop-constraint\nALTER TABLE notification_channel DROP CONSTRAINT {name}")
    op.execute(
        "-- squawk-ignore constraint-missing-not-valid\n"
        f"ALTER TABLE notification_channel ADD CONSTRAINT {name} CHECK (kind in ({kinds}))"
    )
