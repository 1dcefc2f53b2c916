"""All settings, read once from environment variables."""

from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

MIB = 1024 * 1024


class Settings(BaseSettings):
    """Settings of web, worker and relay; `validation_alias` is the environment variable."""

    model_config = SettingsConfigDict(env_file=None, extra="ignore", populate_by_name=True)

    database_url: SecretStr = Field(validation_alias="DATABASE_URL")
    """PostgreSQL as the role `slowpath_app`."""
    database_direct_url: SecretStr | None = Field(default=None, validation_alias="DATABASE_DIRECT_URL")
    """The same without a pooler, for LISTEN. If set, DATABASE_URL may lead through PgBouncer in transaction mode."""
    database_read_url: SecretStr | None = Field(default=None, validation_alias="DATABASE_READ_URL")
    """A streaming replica, as the same role, for reads of the web server. It serves a read only if it lacks no commit."""
    broker_url: SecretStr = Field(validation_alias="BROKER_URL")
    """Valkey or Redis, or `sentinel://host,host/primary` (`sentinels://`: with TLS). Has only job IDs and counters; no data is lost with it."""
    blob_url: str = Field(validation_alias="BLOB_URL")
    """`file:///folder`, `s3://bucket/prefix`, `gs://...` or `az://...`."""
    metrics_token: SecretStr | None = Field(default=None, validation_alias="SLOWPATH_METRICS_TOKEN")
    """If set, `/metrics` requires it as a bearer token."""
    secret_key: SecretStr = Field(validation_alias="SLOWPATH_SECRET_KEY")
    """Signs cursors and encrypts stored credentials."""
    encryption_keys: SecretStr = Field(default=SecretStr(""), validation_alias="SLOWPATH_ENCRYPTION_KEYS")
    """Keys of stored credentials: `2=new key,1=former key`. The first one encrypts, all decrypt; without it, the secret
    key does both."""
    public_url: str = Field(default="http://127.0.0.1:8080", validation_alias="SLOWPATH_PUBLIC_URL")
    """The public URL; its scheme and host determine cookie attributes and the Origin check."""
    frontend_dist: Path | None = Field(default=None, validation_alias="SLOWPATH_FRONTEND_DIST")
    cli_packages: Path | None = Field(default=None, validation_alias="SLOWPATH_CLI_PACKAGES")
    """Folder of the single files of the command line that `npm run package` built; served at `/cli`."""
    decode_bin: Path | None = Field(default=None, validation_alias="SLOWPATH_DECODE_BIN")
    """The Go helper `slowpath-decode`."""
    scratch_dir: Path | None = Field(default=None, validation_alias="SLOWPATH_SCRATCH_DIR")
    """Folder of temporary files; the system's temporary folder if unset."""
    log_format: Literal["json", "text"] = Field(default="json", validation_alias="SLOWPATH_LOG_FORMAT")

    max_artifact_bytes: int = Field(default=256 * MIB, validation_alias="SLOWPATH_MAX_ARTIFACT_BYTES")
    max_trace_bytes: int = Field(default=1024 * MIB, validation_alias="SLOWPATH_MAX_TRACE_BYTES")
    max_team_bytes: int = Field(default=0, validation_alias="SLOWPATH_MAX_TEAM_BYTES")
    """Limit of the total size of a team's files; 0 for no limit."""
    part_bytes: int = Field(default=8 * MIB, validation_alias="SLOWPATH_PART_BYTES")
    """Size of a part of a resumable upload."""
    max_unpacked_bytes: int = Field(default=1024 * MIB, validation_alias="SLOWPATH_MAX_UNPACKED_BYTES")
    max_series: int = Field(default=200_000, validation_alias="SLOWPATH_MAX_SERIES")
    """Limit of a team's time series."""
    decode_seconds: int = Field(default=120, validation_alias="SLOWPATH_DECODE_SECONDS")
    """Limit of CPU seconds of a decode process; less for small files."""

    lease_seconds: float = Field(default=10.0, validation_alias="SLOWPATH_LEASE_SECONDS")
    """Duration of a job's lease without a heartbeat. Heartbeats are sent every third of it."""
    relay_interval_seconds: float = Field(default=0.25, validation_alias="SLOWPATH_RELAY_INTERVAL_SECONDS")
    worker_queues: str = Field(default="", validation_alias="SLOWPATH_WORKER_QUEUES")
    """Queues that a worker serves, separated by commas; all if unset."""
    worker_processes: int = Field(default=2, validation_alias="SLOWPATH_WORKER_PROCESSES")
    outside: Literal["public", "listed"] = Field(default="public", validation_alias="SLOWPATH_OUTSIDE")
    """Allowed addresses: `public` for all public ones and the allowlist, `listed` (shared servers) for the allowlist only."""
    egress_allowlist: str = Field(
        default="", validation_alias=AliasChoices("SLOWPATH_EGRESS_ALLOWLIST", "SLOWPATH_ALLOWED_HOSTS")
    )
    """Allowlist of host names (`prometheus`, `*.corp.example`) and ranges (`10.0.0.0/8`), separated by commas.

    `SLOWPATH_ALLOWED_HOSTS` is its former name."""
    smtp_url: SecretStr = Field(default=SecretStr(""), validation_alias="SLOWPATH_SMTP_URL")
    """`smtp://`, `smtp+starttls://` or `smtps://`, with name and password; e-mail is disabled if unset."""
    mail_from: str = Field(default="", validation_alias="SLOWPATH_MAIL_FROM")
    """Sender of e-mail: `Slowpath <slowpath@example.com>`."""
    git_dir: Path | None = Field(default=None, validation_alias="SLOWPATH_GIT_DIR")
    """Folder of the worker's mirrors; below the scratch folder if unset. Deleted mirrors are fetched again."""
    local_repositories: str = Field(default="", validation_alias="SLOWPATH_LOCAL_REPOSITORIES")
    """Folders, separated by colons, below which repositories may be `file:///path`; none if unset."""
    max_repository_bytes: int = Field(default=2048 * MIB, validation_alias="SLOWPATH_MAX_REPOSITORY_BYTES")
    git_seconds: int = Field(default=900, validation_alias="SLOWPATH_GIT_SECONDS")
    """Limit of the duration of a fetch."""
    measured_ends_days: int = Field(default=7, ge=1, le=365, validation_alias="SLOWPATH_MEASURED_ENDS_DAYS")
    """Days after which a bisect that has measured both ends is discarded unless it is continued."""
    sign_up: Literal["open", "invited"] = Field(default="open", validation_alias="SLOWPATH_SIGN_UP")

    passwords: Literal["on", "off"] = Field(default="on", validation_alias="SLOWPATH_PASSWORDS")
    """`off`: users can sign in only with an identity provider."""
    oidc_issuer: str = Field(default="", validation_alias="SLOWPATH_OIDC_ISSUER")
    """URL of the OpenID Connect issuer, exactly as in its metadata. Its host may be private."""
    oidc_client_id: str = Field(default="", validation_alias="SLOWPATH_OIDC_CLIENT_ID")
    oidc_client_secret: SecretStr = Field(default=SecretStr(""), validation_alias="SLOWPATH_OIDC_CLIENT_SECRET")
    oidc_name: str = Field(default="single sign-on", validation_alias="SLOWPATH_OIDC_NAME")
    """Name on the sign-in page: "Sign in with ..."."""
    oidc_redirect_path: Literal["/sign-in/callback", "/sign-in/return"] = Field(
        default="/sign-in/callback", validation_alias="SLOWPATH_OIDC_REDIRECT_PATH"
    )
    """Path of the redirect URI that is registered at the issuer; the second is that of earlier versions."""
    saml_metadata_file: Path | None = Field(default=None, validation_alias="SLOWPATH_SAML_METADATA_FILE")
    """The metadata of a SAML 2.0 identity provider; or the three settings below."""
    saml_entity_id: str = Field(default="", validation_alias="SLOWPATH_SAML_ENTITY_ID")
    """Entity ID of the identity provider; with a metadata file of several providers, the one to use."""
    saml_sso_url: str = Field(default="", validation_alias="SLOWPATH_SAML_SSO_URL")
    """Its address for sign-in requests (HTTP-Redirect)."""
    saml_certificate: str = Field(default="", validation_alias="SLOWPATH_SAML_CERTIFICATE")
    """The certificate with which it signs, as PEM or base64."""
    saml_name: str = Field(default="SAML", validation_alias="SLOWPATH_SAML_NAME")
    """Name on the sign-in page: "Sign in with ..."."""
    saml_email_attribute: str = Field(default="", validation_alias="SLOWPATH_SAML_EMAIL_ATTRIBUTE")
    """Attribute with the e-mail address; the usual names if unset."""
    saml_emails: Literal["verified", "unverified"] = Field(default="verified", validation_alias="SLOWPATH_SAML_EMAILS")
    """`unverified`: users of the identity provider can enter any e-mail address there, so it identifies no account."""
    sign_in_domains: str = Field(
        default="", validation_alias=AliasChoices("SLOWPATH_SIGN_IN_DOMAINS", "SLOWPATH_OIDC_DOMAINS")
    )
    """Teams that new users join, by e-mail domain: `example.com=payments-x7f2q:member`, separated by commas.

    `SLOWPATH_OIDC_DOMAINS` is its former name."""

    token_requests_per_minute: int = Field(default=1_200, ge=0, validation_alias="SLOWPATH_TOKEN_REQUESTS_PER_MINUTE")
    """Rate limit of a token without a specific one; 0 for no limit, here and below."""
    token_uploads_per_minute: int = Field(default=12_000, ge=0, validation_alias="SLOWPATH_TOKEN_UPLOADS_PER_MINUTE")
    """Rate limit of uploads (files, builds, metrics, spans), counted separately."""
    team_requests_per_minute: int = Field(default=6_000, ge=0, validation_alias="SLOWPATH_TEAM_REQUESTS_PER_MINUTE")
    """Rate limit of all tokens of a team together."""
    team_uploads_per_minute: int = Field(default=24_000, ge=0, validation_alias="SLOWPATH_TEAM_UPLOADS_PER_MINUTE")
    user_requests_per_minute: int = Field(default=3_000, ge=0, validation_alias="SLOWPATH_USER_REQUESTS_PER_MINUTE")
    """Rate limit of a signed-in user in all browsers together."""
    anonymous_requests_per_minute: int = Field(
        default=600, ge=0, validation_alias="SLOWPATH_ANONYMOUS_REQUESTS_PER_MINUTE"
    )
    """Rate limit of an IP address without a valid session or token, per web process."""

    @field_validator("saml_metadata_file", mode="before")
    @classmethod
    def _read_empty_path(cls, value: object) -> object:
        """Return None for an empty variable, which Docker Compose sets for a missing one."""
        return value or None

    @model_validator(mode="after")
    def _a_way_to_sign_in(self) -> Self:
        """Check that users can sign in, and safely. Raises `ValueError`."""
        if self.passwords == "off" and not self.oidc_issuer and not self.has_saml:
            raise ValueError("SLOWPATH_PASSWORDS=off needs an identity provider, otherwise users cannot sign in")
        if self.oidc_issuer and not self.oidc_client_id:
            raise ValueError("SLOWPATH_OIDC_ISSUER needs SLOWPATH_OIDC_CLIENT_ID")
        if self.oidc_issuer and not self.oidc_issuer.startswith("https://"):
            host = urlsplit(self.oidc_issuer).hostname or ""
            if not self.oidc_issuer.startswith("http://") or host not in {"127.0.0.1", "localhost", "::1"}:
                raise ValueError("SLOWPATH_OIDC_ISSUER must use https, unless it is on this machine")
        return self

    @property
    def has_saml(self) -> bool:
        """Return whether a SAML identity provider is configured."""
        return self.saml_metadata_file is not None or self.saml_entity_id != ""

    @property
    def sends_mail(self) -> bool:
        """Return whether a mail server is configured."""
        return self.smtp_url.get_secret_value() != ""

    @property
    def sqlalchemy_url(self) -> str:
        """Return the database's URL with the driver."""
        return _with_driver(self.database_url.get_secret_value())

    @property
    def sqlalchemy_read_url(self) -> str | None:
        """Return the replica's URL with the driver."""
        return _with_driver(self.database_read_url.get_secret_value()) if self.database_read_url else None

    @property
    def listen_url(self) -> str:
        """Return the database's URL for LISTEN, without the driver."""
        url = _with_driver((self.database_direct_url or self.database_url).get_secret_value())
        return url.replace("postgresql+psycopg://", "postgresql://", 1)


def _with_driver(url: str) -> str:
    for scheme in ("postgresql://", "postgres://"):
        if url.startswith(scheme):
            return "postgresql+psycopg://" + url.removeprefix(scheme)
    return url


def read_settings() -> Settings:
    """Return the settings of this process. Raises `ValidationError`, which lists missing and invalid ones."""
    return Settings.model_validate({})
