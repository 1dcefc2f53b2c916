"""What can be set from outside, in one place, read once from the environment."""

from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

MIB = 1024 * 1024


class Settings(BaseSettings):
    """Settings of web, worker and relay; each is read from the environment variable named beside it."""

    model_config = SettingsConfigDict(env_file=None, extra="ignore", populate_by_name=True)

    database_url: SecretStr = Field(validation_alias="DATABASE_URL")
    """PostgreSQL as the role `slowpath_app`."""
    broker_url: SecretStr = Field(validation_alias="BROKER_URL")
    """Valkey or Redis. Carries job ids only; losing it loses nothing."""
    blob_url: str = Field(validation_alias="BLOB_URL")
    """`file:///folder`, `s3://bucket/prefix`, `gs://...` or `az://...`."""
    metrics_token: SecretStr | None = Field(default=None, validation_alias="SLOWPATH_METRICS_TOKEN")
    """If set, `/metrics` asks for it as a bearer token."""
    secret_key: SecretStr = Field(validation_alias="SLOWPATH_SECRET_KEY")
    """Signs cursors and encrypts stored credentials."""
    public_url: str = Field(default="http://127.0.0.1:8080", validation_alias="SLOWPATH_PUBLIC_URL")
    """The address people open; its scheme and host decide about cookies and the Origin check."""
    frontend_dist: Path | None = Field(default=None, validation_alias="SLOWPATH_FRONTEND_DIST")
    decode_bin: Path | None = Field(default=None, validation_alias="SLOWPATH_DECODE_BIN")
    """The Go helper `slowpath-decode`."""
    scratch_dir: Path | None = Field(default=None, validation_alias="SLOWPATH_SCRATCH_DIR")
    """Where files lie while being worked on; the system's temporary folder if unset."""
    log_format: Literal["json", "text"] = Field(default="json", validation_alias="SLOWPATH_LOG_FORMAT")

    max_artifact_bytes: int = Field(default=256 * MIB, validation_alias="SLOWPATH_MAX_ARTIFACT_BYTES")
    max_trace_bytes: int = Field(default=1024 * MIB, validation_alias="SLOWPATH_MAX_TRACE_BYTES")
    max_team_bytes: int = Field(default=0, validation_alias="SLOWPATH_MAX_TEAM_BYTES")
    """What all files of one team may weigh together; 0 is no limit."""
    part_bytes: int = Field(default=8 * MIB, validation_alias="SLOWPATH_PART_BYTES")
    """Size of a part of a resumable upload."""
    max_unpacked_bytes: int = Field(default=1024 * MIB, validation_alias="SLOWPATH_MAX_UNPACKED_BYTES")
    max_series: int = Field(default=200_000, validation_alias="SLOWPATH_MAX_SERIES")
    """Series of metrics that one team may have."""
    decode_seconds: int = Field(default=120, validation_alias="SLOWPATH_DECODE_SECONDS")
    """CPU seconds that a decode child may take at most; small files get less."""

    lease_seconds: float = Field(default=10.0, validation_alias="SLOWPATH_LEASE_SECONDS")
    """How long a job stays its worker's without a heartbeat. Heartbeats come at a third of it."""
    relay_interval_seconds: float = Field(default=0.25, validation_alias="SLOWPATH_RELAY_INTERVAL_SECONDS")
    worker_processes: int = Field(default=2, validation_alias="SLOWPATH_WORKER_PROCESSES")
    outside: Literal["public", "listed"] = Field(default="public", validation_alias="SLOWPATH_OUTSIDE")
    """Which addresses given by users are asked: all public ones and those listed, or (many teams on one stack) listed ones only."""
    egress_allowlist: str = Field(
        default="", validation_alias=AliasChoices("SLOWPATH_EGRESS_ALLOWLIST", "SLOWPATH_ALLOWED_HOSTS")
    )
    """Host names (`prometheus`, `*.corp.example`) and ranges (`10.0.0.0/8`) that may be requested too, separated by commas.

    `SLOWPATH_ALLOWED_HOSTS` is its former name."""
    smtp_url: SecretStr = Field(default=SecretStr(""), validation_alias="SLOWPATH_SMTP_URL")
    """`smtp://`, `smtp+starttls://` or `smtps://`, with name and password; without one no e-mail is sent."""
    mail_from: str = Field(default="", validation_alias="SLOWPATH_MAIL_FROM")
    """Whom e-mail comes from: `Slowpath <slowpath@example.com>`."""
    git_dir: Path | None = Field(default=None, validation_alias="SLOWPATH_GIT_DIR")
    """Where the worker keeps copies of repositories; below the scratch folder if unset. Losing it loses only time."""
    local_repositories: str = Field(default="", validation_alias="SLOWPATH_LOCAL_REPOSITORIES")
    """Folders, separated by colons, below which repositories may be given as `file:///path`; none if unset."""
    max_repository_bytes: int = Field(default=2048 * MIB, validation_alias="SLOWPATH_MAX_REPOSITORY_BYTES")
    git_seconds: int = Field(default=900, validation_alias="SLOWPATH_GIT_SECONDS")
    """How long one fetch may take."""
    sign_up: Literal["open", "invited"] = Field(default="open", validation_alias="SLOWPATH_SIGN_UP")

    passwords: Literal["on", "off"] = Field(default="on", validation_alias="SLOWPATH_PASSWORDS")
    """`off`: people sign in by the issuer below and no other way."""
    oidc_issuer: str = Field(default="", validation_alias="SLOWPATH_OIDC_ISSUER")
    """Whom people sign in with (OpenID Connect): its address exactly as it names itself. Its host is asked wherever it lies."""
    oidc_client_id: str = Field(default="", validation_alias="SLOWPATH_OIDC_CLIENT_ID")
    oidc_client_secret: SecretStr = Field(default=SecretStr(""), validation_alias="SLOWPATH_OIDC_CLIENT_SECRET")
    oidc_name: str = Field(default="single sign-on", validation_alias="SLOWPATH_OIDC_NAME")
    """How the sign-in page calls it: "Sign in with ..."."""
    oidc_redirect_path: Literal["/sign-in/callback", "/sign-in/return"] = Field(
        default="/sign-in/callback", validation_alias="SLOWPATH_OIDC_REDIRECT_PATH"
    )
    """Path of the redirect URI that is registered at the issuer; the second is that of earlier versions."""
    oidc_domains: str = Field(default="", validation_alias="SLOWPATH_OIDC_DOMAINS")
    """Who joins which team when they first sign in: `example.com=payments-x7f2q:member`, several separated by commas."""

    token_requests_per_minute: int = Field(default=1_200, ge=0, validation_alias="SLOWPATH_TOKEN_REQUESTS_PER_MINUTE")
    """How often a token may ask that has no rate of its own; 0 for no limit, here and below."""
    token_uploads_per_minute: int = Field(default=12_000, ge=0, validation_alias="SLOWPATH_TOKEN_UPLOADS_PER_MINUTE")
    """Of what is sent in: files, builds, metrics, spans. Counted apart from all else."""
    team_requests_per_minute: int = Field(default=6_000, ge=0, validation_alias="SLOWPATH_TEAM_REQUESTS_PER_MINUTE")
    """What all tokens of a team may together, whatever their own rates."""
    team_uploads_per_minute: int = Field(default=24_000, ge=0, validation_alias="SLOWPATH_TEAM_UPLOADS_PER_MINUTE")
    anonymous_requests_per_minute: int = Field(
        default=600, ge=0, validation_alias="SLOWPATH_ANONYMOUS_REQUESTS_PER_MINUTE"
    )
    """Of one address to one web process, without a session or token that was accepted there; 0 for no limit."""

    @model_validator(mode="after")
    def _a_way_to_sign_in(self) -> Self:
        """Refuse settings by which nobody could sign in, or not safely."""
        if self.passwords == "off" and not self.oidc_issuer:
            raise ValueError("SLOWPATH_PASSWORDS=off needs SLOWPATH_OIDC_ISSUER: nobody could sign in")
        if self.oidc_issuer and not self.oidc_client_id:
            raise ValueError("SLOWPATH_OIDC_ISSUER needs SLOWPATH_OIDC_CLIENT_ID")
        if self.oidc_issuer and not self.oidc_issuer.startswith("https://"):
            host = urlsplit(self.oidc_issuer).hostname or ""
            if not self.oidc_issuer.startswith("http://") or host not in {"127.0.0.1", "localhost", "::1"}:
                raise ValueError("SLOWPATH_OIDC_ISSUER must be https, or lie on this very machine")
        return self

    @property
    def sends_mail(self) -> bool:
        """Whether the operator has named a mail server."""
        return self.smtp_url.get_secret_value() != ""

    @property
    def sqlalchemy_url(self) -> str:
        """The database's address with the driver named."""
        url = self.database_url.get_secret_value()
        for scheme in ("postgresql://", "postgres://"):
            if url.startswith(scheme):
                return "postgresql+psycopg://" + url.removeprefix(scheme)
        return url


def read_settings() -> Settings:
    """Return the settings of this process. Raises pydantic's `ValidationError` naming what is missing."""
    return Settings.model_validate({})
