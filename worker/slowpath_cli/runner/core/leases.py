"""What a runner accepts of a server. A lease decides what is built and run here, so nothing in it is taken as it comes.

Types are strict, sizes bounded. Commits are whole ids, module paths and versions follow Go's own rules (`module.CheckPath`,
`module.Check`), so that no text of a lease can add a line to a go.mod, an option to a command or a step to a path.
What passes still has to be allowed by the runner's own configuration: see `allowing`.
"""

import json
import re
from collections.abc import Collection
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from slowpath.verdicts.bisects.rules.bisect_states import MOST_SLOTS, MOST_WINDOWS

MOST_BYTES: Final = 64 * 1024
MOST_MODULES: Final = 200
MOST_SECONDS: Final = 7 * 86_400.0
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
    """The lease is not one that this runner carries out; the text says why."""


def is_module_path(path: str, *, published: bool) -> bool:
    """Tell whether a module may have this path; `published`: whether it may also be fetched by it (`module.CheckPath`)."""
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
    """Tell whether a module of this path may have this version: canonical, and of the path's major (`module.Check`)."""
    found = SEMVER.fullmatch(version)
    if len(version) > 200 or found is None:
        return False
    major = MAJOR.search(path)
    if major is None:
        return found[1] in {"0", "1"} or found["build"] is not None
    if found["build"] is not None:
        return False
    wanted = major[1] or major[2]
    return found[1] == wanted or (path.startswith("gopkg.in/") and wanted == "1" and version.startswith("v0.0.0-"))


def _commit(text: str) -> str:
    if not COMMIT.fullmatch(text):
        raise ValueError("is not a commit: 40 hexadecimal digits")
    return text


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("holds characters that cannot be printed")
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
        raise ValueError("is not an address: http or https, without spaces")
    return text


Id = UUID
Count = Annotated[int, Field(ge=0, le=MOST_WINDOWS)]
Ordinal = Annotated[int, Field(ge=0, le=2**31 - 1)]
Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]
Commit = Annotated[str, AfterValidator(_commit)]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9._-]{0,59}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Service(_Strict):
    id: Annotated[Id, Field(strict=False)]
    name: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_printable)]


class _Build(_Strict):
    commit: Commit
    modules: Annotated[dict[str, Commit], Field(max_length=MOST_MODULES)]
    versions: Annotated[dict[str, Annotated[str, Field(max_length=200)]], Field(max_length=MOST_MODULES)]


class _Signature(_Strict):
    kind: Word


class _Callback(_Strict):
    url: Annotated[str, Field(max_length=2000), AfterValidator(_address)]
    token: Annotated[str, Field(pattern=r"^[A-Za-z0-9._~+/=-]{0,500}$")]


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
    window_seconds: Seconds
    warm_up_seconds: Seconds
    deployment_seconds: Seconds
    lease_seconds: Seconds
    callback: _Callback | None = None


class _CalledBack(_Strict):
    state: Literal["building", "rolling", "ready", "unbuildable", "failed"]
    detail: Annotated[str, Field(max_length=2000)] | None = None


class HeardBeat(_Strict):
    """What a server answers to a beat."""

    command: Literal["measure", "wait", "stop"]
    measurements_requested: Count
    measurements_taken: Count
    lease_seconds: Seconds
    measurement_seconds: Seconds | None = None
    callback: _CalledBack | None = None


def checked_lease(told: object, free_slots: Collection[int]) -> dict[str, Any]:
    """Return what is used of a lease, all of it checked. Raises `LeaseRefused`."""
    size = len(json.dumps(told))
    if size > MOST_BYTES:
        raise LeaseRefused(f"The lease has {size:,} bytes; the limit is {MOST_BYTES:,}.")
    try:
        lease = _Lease.model_validate(told)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(one) for one in first["loc"])[:100]
        raise LeaseRefused(f"The lease is not valid: {where}: {first['msg']}.") from error
    if lease.slot not in free_slots:
        raise LeaseRefused(f"The lease is for slot {lease.slot}, which is not free.")
    for module in lease.build.modules:
        if not is_module_path(module, published=False):
            raise LeaseRefused(f"The lease names a module {module!r}, which is not a module path.")
    for module, version in lease.build.versions.items():
        if not is_module_path(module, published=True):
            raise LeaseRefused(f"The lease names a module {module!r}, which is not a module path.")
        if not is_version(version, module):
            raise LeaseRefused(f"The lease asks for {module} at {version!r}, which is not a version of it.")
    return lease.model_dump(mode="json")


def run_id_of(told: object) -> UUID | None:
    """Return the run that a lease is of, as far as that can be read: the server is told that it was refused."""
    found = told.get("run_id") if isinstance(told, dict) else None
    try:
        return UUID(found) if isinstance(found, str) else None
    except ValueError:
        return None
