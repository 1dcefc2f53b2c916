"""What people say of findings, regressions, builds, reports; whom they name in it; and news of what the team does.

Adds three tables; older code does not see them. The new triggers tell pages by NOTIFY, as those of jobs do.
"""

from alembic import op

revision = "20261121_2150"
down_revision = "20261121_2100"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE discussion (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    subject_kind varchar NOT NULL,
    subject_id uuid NOT NULL,
    part varchar NOT NULL,
    title varchar NOT NULL,
    path varchar NOT NULL,
    service_id uuid,
    comparison_id uuid,
    regression_id uuid,
    build_id uuid,
    artifact_id uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_discussion PRIMARY KEY (team_id, id),
    CONSTRAINT uq_discussion_subject UNIQUE (team_id, subject_kind, subject_id, part),
    CONSTRAINT ck_discussion_subject_kind
        CHECK (subject_kind in ('finding', 'comparison', 'build', 'report', 'trace', 'span-set', 'regression')),
    CONSTRAINT fk_discussion_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE SET NULL (service_id),
    CONSTRAINT fk_discussion_team_id_comparison_id FOREIGN KEY (team_id, comparison_id)
        REFERENCES comparison (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_regression_id FOREIGN KEY (team_id, regression_id)
        REFERENCES regression (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_build_id FOREIGN KEY (team_id, build_id)
        REFERENCES build (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_discussion_team_id_artifact_id FOREIGN KEY (team_id, artifact_id)
        REFERENCES artifact (team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_discussion_service ON discussion (team_id, service_id);
CREATE INDEX ix_discussion_comparison ON discussion (team_id, comparison_id);
CREATE INDEX ix_discussion_regression ON discussion (team_id, regression_id);
CREATE INDEX ix_discussion_build ON discussion (team_id, build_id);
CREATE INDEX ix_discussion_artifact ON discussion (team_id, artifact_id);

CREATE TABLE comment (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    discussion_id uuid NOT NULL,
    parent_id uuid,
    author_kind varchar NOT NULL,
    author_id uuid,
    author_name varchar NOT NULL,
    text varchar NOT NULL,
    edited_at timestamptz,
    deleted_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_comment PRIMARY KEY (team_id, id),
    CONSTRAINT ck_comment_author_kind CHECK (author_kind in ('token', 'person')),
    CONSTRAINT fk_comment_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_comment_team_id_discussion_id FOREIGN KEY (team_id, discussion_id)
        REFERENCES discussion (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_comment_team_id_parent_id FOREIGN KEY (team_id, parent_id)
        REFERENCES comment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_comment_author_id FOREIGN KEY (author_id) REFERENCES app_user (id) ON DELETE SET NULL
);
CREATE INDEX ix_comment_discussion ON comment (team_id, discussion_id, created_at, id);
CREATE INDEX ix_comment_newest ON comment (team_id, created_at, id);
CREATE INDEX ix_comment_parent ON comment (team_id, parent_id);
CREATE INDEX ix_comment_author_id ON comment (author_id);

CREATE TABLE mention (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    discussion_id uuid NOT NULL,
    comment_id uuid NOT NULL,
    user_id uuid NOT NULL,
    read_at timestamptz,
    mail_begun_at timestamptz,
    mailed_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_mention PRIMARY KEY (team_id, id),
    CONSTRAINT uq_mention_once UNIQUE (team_id, comment_id, user_id),
    CONSTRAINT fk_mention_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_mention_team_id_discussion_id FOREIGN KEY (team_id, discussion_id)
        REFERENCES discussion (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_mention_team_id_comment_id FOREIGN KEY (team_id, comment_id)
        REFERENCES comment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_mention_user_id FOREIGN KEY (user_id) REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_mention_newest ON mention (team_id, user_id, created_at, id);
CREATE INDEX ix_mention_discussion ON mention (team_id, discussion_id);
CREATE INDEX ix_mention_user_id ON mention (user_id);
"""

SEPARATION = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""

# That something is new, and of what kind; whoever listens asks for the rest as itself. Equal words of one transaction
# are told once.
EVENTS = """
CREATE FUNCTION tell_news() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('slowpath_events', json_build_object(
        'team', coalesce(NEW.team_id, OLD.team_id), 'kind', TG_ARGV[0])::text);
    RETURN NULL;
END
$$;
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON comment FOR EACH ROW EXECUTE FUNCTION tell_news('comment');
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF read_at ON mention FOR EACH ROW EXECUTE FUNCTION tell_news('mention');
CREATE TRIGGER tell_activity AFTER INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION tell_news('activity');
CREATE TRIGGER tell_activity AFTER INSERT ON regression_event FOR EACH ROW EXECUTE FUNCTION tell_news('activity');
CREATE TRIGGER tell_activity AFTER INSERT ON deploy FOR EACH ROW EXECUTE FUNCTION tell_news('activity');
"""


def upgrade() -> None:
    op.execute(TABLES)
    for table in ("discussion", "comment", "mention"):
        op.execute(SEPARATION.format(table=table))
    op.execute(EVENTS)


def downgrade() -> None:
    for table in ("deploy", "regression_event", "audit_event"):
        op.execute(f"DROP TRIGGER tell_activity ON {table}")
    for table in ("mention", "comment", "discussion"):
        op.execute(f"DROP TABLE {table}")
    op.execute("DROP FUNCTION tell_news()")
