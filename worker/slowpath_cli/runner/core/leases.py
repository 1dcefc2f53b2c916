"""Validate leases and replies of a server. A lease determines what is built and run, so all its values are untrusted.

Types are strict and sizes limited. Commits are full SHAs; module paths and versions follow Go's rules (`module.CheckPath`,
`module.Check`), so no text of a lease can add a line to a go.mod, an option to a command or an element to a path.
The runner's configuration must allow a valid lease, too: see `server_allowlist`.
"""

import json
import re
from collections.abc import Collection
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from slowpath.analysis.experiments.variants import VALUES
from slowpath.verdicts.bisects.rules.bisect_states import COMPILE, MOST_SLOTS, MOST_WINDOWS
from slowpath.verdicts.bisects.rules.go_releases import TOOLCHAIN, invalid_setting, release_of

MAX_BYTES: Final = 64 * 1024
MAX_MODULES: Final = 200
MAX_SECONDS: Final = 7 * 86_400.0
COMMIT: Final = re.compile(r"[0-9a-f]{40}")
SERVICE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
PATH_ELEMENT: Final = re.compile(r"[A-Za-z0-9_~-](?:[A-Za-z0-9._~-]*[A-Za-z0-9_~-])?")
RESERVED_ON_WINDOWS: Final = re.compile(r"(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)", re.IGNORECASE)
SHORT_NAME: Final = re.compile(r"[^.]*~[0-9]+(?:\.|$)")
DOMAIN: Final = re.compile(r"[a-z0-9][a-z0-9.-]*\.[a-z0-9.-]*[a-z0-9]")
SEMVER: Final = re.compile(
    r"v(0|[1-9][0-9]{0,17})\.(0|[1-9][0-9]{0,17})\.(0|[1-9][0-9]{0,17})"
    r"(?:-(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?"
    r"(?P<build>\+incompatible)?"
)
MAJOR: Final = re.compile(r"/v(0|[1-9][0-9]*)$|^gopkg\.in/.*\.v(0|[1-9][0-9]*)(?:-unstable)?$")


class LeaseRefused(Exception):
    """The lease is invalid or not allowed; the message gives the reason."""


def is_module_path(path: str, *, published: bool) -> bool:
    """Return whether a module path is valid; `published`: whether it can also be fetched (`module.CheckPath`)."""
    elements = path.split("/")
    if len(path) > 500 or path.startswith("-"):
        return False
    for element in elements:
        if not PATH_ELEMENT.fullmatch(element) or RESERVED_ON_WINDOWS.match(element) or SHORT_NAME.match(element):
            return False
    if not published:
        return True
    major = re.search(r"/v([0-9]+)$", path)
    bad_major = major is not None and (major[1].startswith("0") or major[1] == "1")
    return DOMAIN.fullmatch(elements[0]) is not None and not bad_major


def is_version(version: str, path: str) -> bool:
    """Return whether a version is canonical and has the major version of the module path (`module.Check`)."""
    run_id = SEMVER.fullmatch(version)
    if len(version) > 200 or run_id is None:
        return False
    major = MAJOR.search(path)
    if major is None:
        return run_id[1] in {"0", "1"} or run_id["build"] is not None
    if run_id["build"] is not None:
        return False
    required = major[1] or major[2]
    return run_id[1] == required or (path.startswith("gopkg.in/") and required == "1" and version.startswith("v0.0.0-"))


def _commit(text: str) -> str:
    if not COMMIT.fullmatch(text):
        raise ValueError("must be a SHA of 40 hexadecimal digits")
    return text


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("has characters that are not printable")
    return text


def _address(text: str) -> str:
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    if (
        not text.isascii()
        or not text.isprintable()
        or " " in text
        or parts.scheme not in {"http", "https"}
        or not parts.hostname
    ):
        raise ValueError("must be an http or https URL without spaces")
    return text


Id = UUID
Count = Annotated[int, Field(ge=0, le=MOST_WINDOWS)]
Ordinal = Annotated[int, Field(ge=0, le=2**31 - 1)]
Seconds = Annotated[float, Field(ge=0, le=MAX_SECONDS, allow_inf_nan=False)]
Commit = Annotated[str, AfterValidator(_commit)]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9._-]{0,59}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Service(_Strict):
    id: Annotated[Id, Field(strict=False)]
    name: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_printable)]


class _Build(_Strict):
    commit: Commit
    modules: Annotated[dict[str, Commit], Field(max_length=MAX_MODULES)]
    versions: Annotated[dict[str, Annotated[str, Field(max_length=200)]], Field(max_length=MAX_MODULES)]
    settings: Annotated[dict[str, Annotated[str, Field(max_length=2000)]], Field(max_length=3)] = {}


class _Signature(_Strict):
    kind: Word


class _Callback(_Strict):
    url: Annotated[str, Field(max_length=2000), AfterValidator(_address)]
    token: Annotated[str, Field(pattern=r"^[A-Za-z0-9._~+/=-]{0,500}$")]


class _VariantChange(_Strict):
    """How a variant of an experiment changes the build; `[allow] variants` has to name each part."""

    environment: Annotated[dict[str, Annotated[str, Field(max_length=500)]], Field(max_length=len(VALUES))]
    pgo: Literal["off", "auto"] | None
    reverts: Commit | None
    patch: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None

    @model_validator(mode="after")
    def _require_known_values(self) -> "_VariantChange":
        for name, value in self.environment.items():
            if name not in VALUES or not VALUES[name].fullmatch(value):
                raise ValueError(f"{name[:40]!r} has no valid value")
        return self


class _Compile(_Strict):
    """What is compiled instead of a deployment."""

    base: _Build
    package: Annotated[str, Field(max_length=500)]
    tags: Annotated[list[Annotated[str, Field(pattern=r"^[A-Za-z0-9_.]{1,100}$")]], Field(max_length=50)]

    @model_validator(mode="after")
    def _require_package_path(self) -> "_Compile":
        if self.package and not is_module_path(self.package, published=False):
            raise ValueError("the package is not a path below the module")
        return self


class _Lease(_Strict):
    run_id: Annotated[Id, Field(strict=False)]
    bisect_id: Annotated[Id, Field(strict=False)]
    bisect_number: Ordinal
    number: Ordinal
    purpose: Word
    slot: Annotated[int, Field(ge=0, lt=MOST_SLOTS)]
    service: _Service
    build: _Build
    signature: _Signature
    measurements_requested: Count
    measurements_taken: Count
    measurement_seconds: Seconds
    warm_up_seconds: Seconds
    deployment_seconds: Seconds
    lease_seconds: Seconds
    callback: _Callback | None = None
    variant: _VariantChange | None = None
    compile: _Compile | None = None


class _CalledBack(_Strict):
    state: Literal["building", "rolling", "ready", "unbuildable", "failed"]
    detail: Annotated[str, Field(max_length=2000)] | None = None


class HeartbeatResponse(_Strict):
    """The body of the server's response to a heartbeat."""

    command: Literal["measure", "wait", "stop"]
    measurements_requested: Count
    measurements_taken: Count
    lease_seconds: Seconds
    measurement_seconds: Seconds | None = None
    callback: _CalledBack | None = None


def checked_lease(offer: object, free_slots: Collection[int]) -> dict[str, Any]:
    """Validate a lease and return its known fields. Raises `LeaseRefused`."""
    size = len(json.dumps(offer))
    if size > MAX_BYTES:
        raise LeaseRefused(f"The lease has {size:,} bytes; the limit is {MAX_BYTES:,}.")
    try:
        lease = _Lease.model_validate(offer)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(one) for one in first["loc"])[:100]
        raise LeaseRefused(f"The lease is invalid: {where}: {first['msg']}.") from error
    if lease.slot not in free_slots:
        raise LeaseRefused(f"The lease is for slot {lease.slot}, which is not free.")
    if (lease.purpose == COMPILE) != (lease.compile is not None):
        raise LeaseRefused("The lease does not state what it compiles.")
    for build in (lease.build, *([] if lease.compile is None else [lease.compile.base])):
        _check_modules(build)
        _check_toolchain(build)
    return lease.model_dump(mode="json")


def _check_modules(build: _Build) -> None:
    for module in build.modules:
        if not is_module_path(module, published=False):
            raise LeaseRefused(f"The lease has an invalid module path {module!r}.")
    for module, version in build.versions.items():
        if not is_module_path(module, published=True):
            raise LeaseRefused(f"The lease has an invalid module path {module!r}.")
        if not is_version(version, module):
            raise LeaseRefused(f"The lease has an invalid version {version!r} of {module}.")


def _check_toolchain(build: _Build) -> None:
    """Check that a toolchain is a release, and that its settings are in the table. Raises `LeaseRefused`."""
    version = build.versions.get(TOOLCHAIN)
    if version is None and build.settings:
        raise LeaseRefused("The lease has settings without a Go release.")
    if version is not None and release_of(version) is None:
        raise LeaseRefused(f"The lease has an invalid Go release {version!r}.")
    for name, value in build.settings.items():
        if (invalid := invalid_setting(name, value)) is not None:
            raise LeaseRefused(f"The lease has an unknown setting {invalid!r}.")


def run_id_of(offer: object) -> UUID | None:
    """Return the run ID of an unvalidated lease, or None; needed to report a rejection."""
    run_id = offer.get("run_id") if isinstance(offer, dict) else None
    try:
        return UUID(run_id) if isinstance(run_id, str) else None
    except ValueError:
        return None
