"""Repositories, the commits in them, and which inputs of a service's binary a commit has.

Adds tables; older code does not see them.
"""

from alembic import op

revision = "20261121_1800"
down_revision = "20261121_1750"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE repository (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    label varchar NOT NULL,
    kind varchar NOT NULL,
    url varchar,
    web_url varchar,
    credentials varchar NOT NULL,
    sealed bytea,
    default_branch varchar,
    heads jsonb NOT NULL,
    fetched_at timestamptz,
    problem jsonb,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_repository PRIMARY KEY (team_id, id),
    CONSTRAINT uq_repository_team_id_url UNIQUE (team_id, url),
    CONSTRAINT ck_repository_kind CHECK (kind in ('github', 'gitlab', 'other', 'pushed')),
    CONSTRAINT ck_repository_url CHECK ((kind = 'pushed') = (url IS NULL)),
    CONSTRAINT ck_repository_credentials CHECK (credentials in ('none', 'bearer', 'basic')),
    CONSTRAINT ck_repository_sealed CHECK ((credentials = 'none') = (sealed IS NULL)),
    CONSTRAINT fk_repository_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_repository_newest ON repository (team_id, created_at, id);

CREATE TABLE service_repository (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    repository_id uuid NOT NULL,
    directory varchar NOT NULL,
    main_package varchar NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service_repository PRIMARY KEY (team_id, id),
    CONSTRAINT uq_service_repository_team_id_service_id UNIQUE (team_id, service_id),
    CONSTRAINT fk_service_repository_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_service_repository_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_service_repository_team_id_repository_id FOREIGN KEY (team_id, repository_id)
        REFERENCES repository (team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_service_repository_repository ON service_repository (team_id, repository_id);

CREATE TABLE commit (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    repository_id uuid NOT NULL,
    sha varchar NOT NULL,
    parents jsonb,
    generation integer NOT NULL,
    author_name varchar NOT NULL,
    author_email varchar NOT NULL,
    authored_at timestamptz,
    committed_at timestamptz,
    title varchar NOT NULL,
    message varchar NOT NULL,
    files jsonb,
    files_total integer,
    added integer,
    removed integer,
    bumps jsonb,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_commit PRIMARY KEY (team_id, id),
    CONSTRAINT uq_commit_sha UNIQUE (team_id, repository_id, sha),
    CONSTRAINT fk_commit_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_commit_team_id_repository_id FOREIGN KEY (team_id, repository_id)
        REFERENCES repository (team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_commit_parents ON commit USING gin (parents);

CREATE TABLE commit_diff (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    commit_id uuid NOT NULL,
    content bytea,
    problem jsonb,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_commit_diff PRIMARY KEY (team_id, id),
    CONSTRAINT uq_commit_diff_team_id_commit_id UNIQUE (team_id, commit_id),
    CONSTRAINT fk_commit_diff_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_commit_diff_team_id_commit_id FOREIGN KEY (team_id, commit_id)
        REFERENCES commit (team_id, id) ON DELETE CASCADE
);

CREATE TABLE commit_closure (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    commit_id uuid NOT NULL,
    recipe varchar NOT NULL,
    hash varchar,
    packages integer,
    problem varchar,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_commit_closure PRIMARY KEY (team_id, id),
    CONSTRAINT uq_commit_closure_recipe UNIQUE (team_id, commit_id, recipe),
    CONSTRAINT ck_commit_closure_hash CHECK ((hash IS NULL) = (problem IS NOT NULL)),
    CONSTRAINT fk_commit_closure_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_commit_closure_team_id_commit_id FOREIGN KEY (team_id, commit_id)
        REFERENCES commit (team_id, id) ON DELETE CASCADE
);
"""

PROTECTION = """
ALTER TABLE {0} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {0} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {0} FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON {0} TO slowpath_app;
"""

NAMES = ("repository", "service_repository", "commit", "commit_diff", "commit_closure")


def upgrade() -> None:
    op.execute(TABLES)
    for name in NAMES:
        op.execute(PROTECTION.format(name))


def downgrade() -> None:
    for name in reversed(NAMES):
        op.execute(f"DROP TABLE {name}")
