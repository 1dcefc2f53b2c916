"""Takes label values, absolute paths, host names and people out of recorded answers, the same pseudonym for the same thing.

Two ways lead to what is taken out: the names of fields say what they contain, and how a text is written gives hosts,
addresses, e-mails and paths away. What was learnt in one place is then taken out everywhere.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from slowpath.analysis.formats.column_file import MAGIC, ColumnFileError, pack_strings, read_any_columns, write_columns
from slowpath.analysis.scrubbing import field_rules, text_patterns
from slowpath.analysis.scrubbing.learned_terms import LearnedTerms

LABELS, PATHS, HOSTS, USERS = "labels", "paths", "hosts", "users"
SINGULAR = {LABELS: "label", HOSTS: "host", USERS: "person"}
TRAILER = re.compile(
    r"^[ \t]*(?:co-authored|signed-off|reviewed|acked|reported|tested|suggested|authored|committed)-by:"
    r"[ \t]*([^<\n]{2,100}?)[ \t]*(?:<([^>\n]{3,254})>)?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
AUTHORITY = re.compile(r"(?<=://)([^\s/?#\"'<>|]{1,600})")
ADDRESSED = re.compile(r"([^<>]{2,100}?)\s*<([^<>\s]{3,254})>")
SHARED_MAILBOXES = frozenset(
    [
        "git",
        "root",
        "admin",
        "info",
        "noreply",
        "no-reply",
        "support",
        "hello",
        "mail",
        "postmaster",
        "webmaster",
        "bot",
        "team",
        "dev",
        "ops",
    ]
)
UNREADABLE = object()
MAX_TEXT = 1 << 20
"""Longer texts are not looked through and not shown."""


@dataclass
class _PseudonymCounter:
    """Pseudonyms of one kind, numbered as they come."""

    kind: str
    of: dict[str, str] = field(default_factory=dict)

    def name(self, text: str) -> str:
        key = text.lower()
        if key not in self.of:
            self.of[key] = f"{SINGULAR[self.kind]}-{len(self.of) + 1}"
        return self.of[key]


class Scrubber:
    """Learns from everything that will be shown, then takes out."""

    def __init__(
        self, members: Sequence[tuple[str, str]], *, labels: bool, paths: bool, hosts: bool, users: bool
    ) -> None:
        """Remove identifying data; `members` are the known names and email addresses of users."""
        self._on = {LABELS: labels, PATHS: paths, HOSTS: hosts, USERS: users}
        self._names = {kind: _PseudonymCounter(kind) for kind in SINGULAR}
        self._known = LearnedTerms()
        self._label_after: dict[str, str] = {}
        self._seen: dict[str, str] = {}
        self._found: dict[str, dict[str, str]] = {kind: {} for kind in self._on}
        for name, mail in members:
            self._learn_person(name, mail)

    @property
    def found(self) -> Mapping[str, Mapping[str, str]]:
        """What was taken out, and what replaces it, by what it is."""
        return self._found

    # -- learning ----------------------------------------------------------------------------------

    def learn(self, media_type: str, content: bytes) -> None:
        """Look at an answer that will be shown."""
        document, strings = _read(media_type, content)
        self._learn(document, "")
        for text in strings:
            self.learn_text(text)

    def learn_text(self, text: str) -> None:
        """Look at a text that will be shown."""
        for match in TRAILER.finditer(text[:MAX_TEXT]):
            self._learn_person(match[1], match[2] or "")
        if "://" in text:
            for match in AUTHORITY.finditer(text[:MAX_TEXT]):
                self._learn_host(match[1].rpartition("@")[2])

    def _learn(self, value: Any, key: str) -> None:  # noqa: ANN401 - any JSON value
        if isinstance(value, dict):
            self._learn_members(value)
        elif isinstance(value, list):
            for one in value:
                self._learn(one, key)
        elif isinstance(value, str):
            if key in field_rules.PEOPLE:
                self._learn_addressed(value)
            elif field_rules.HOSTS.fullmatch(key):
                self._learn_host(value)
            self.learn_text(value)

    def _learn_members(self, members: dict[str, Any]) -> None:
        name, mail = members.get("author_name"), members.get("author_email")
        if isinstance(name, str) and isinstance(mail, str):
            self._learn_person(name, mail)
        for key, value in members.items():
            if key in field_rules.LABELS:
                for label, one in field_rules.pairs_of(value):
                    self._learn_label(label, one)
            elif key in field_rules.PEOPLE and isinstance(value, dict) and isinstance(value.get("name"), str):
                self._learn_person(value["name"], str(value.get("email") or ""))
            self._learn(value, key)

    def _learn_addressed(self, text: str) -> None:
        match = ADDRESSED.fullmatch(text.strip())
        if match:
            self._learn_person(match[1], match[2])
        elif "@" in text:
            self._learn_person("", text)
        else:
            self._learn_person(text, "")

    def _learn_person(self, name: str, mail: str) -> None:
        name, mail = name.strip(), mail.strip()
        if not self._on[USERS] or text_patterns.UUID.fullmatch(name) or not (name or mail):
            return
        known = self._known.get(name) or self._known.get(mail)
        after = known[1] if known and known[0] == USERS else self._names[USERS].name(name or mail)
        local = mail.partition("@")[0]
        for text in (name, mail, local if len(local) > 3 and local.lower() not in SHARED_MAILBOXES else ""):
            self._known.add(text, USERS, after)

    def _learn_host(self, text: str) -> None:
        host = text_patterns.without_port(text.strip())
        if not self._on[HOSTS] or len(host) < 3 or len(host) > 255 or host.lower() in text_patterns.PUBLIC_HOSTS:
            return
        if any(letter.isspace() for letter in host) or "/" in host or host.isdigit() or _is_this_machine(host):
            return
        self._known.add(host, HOSTS, self._names[HOSTS].name(host))

    def _learn_label(self, key: str, value: Any) -> None:  # noqa: ANN401 - any JSON value
        for one in value if isinstance(value, list) else [value]:
            if field_rules.HOSTS.fullmatch(key) and isinstance(one, str) and self._on[HOSTS]:
                self._learn_host(one)
            elif self._on[LABELS] and isinstance(one, str) and not field_rules.is_ordinary(key, one):
                after = self._label_of(one)
                if field_rules.is_identifying(one):
                    self._known.add(one, LABELS, after)

    def _label_of(self, value: str) -> str:
        if value not in self._label_after:
            self._label_after[value] = f"label-{len(self._label_after) + 1}"
        return self._label_after[value]

    # -- taking out --------------------------------------------------------------------------------

    def content(self, media_type: str, content: bytes) -> bytes:
        """Return an answer without what is taken out. What cannot be read is not shown at all: no byte of it is left."""
        if content.startswith(MAGIC):
            return self._columns(content)
        document, _ = _read(media_type, content)
        if document is UNREADABLE or not content:
            return b""
        if not media_type.endswith("json"):
            return self.text(document).encode("utf-8", "replace")
        return json.dumps(self._rewritten(document, ""), ensure_ascii=False, separators=(",", ":")).encode(
            "utf-8", "replace"
        )

    def text(self, text: str) -> str:
        """Return a text without what is taken out: the same for the same text, everywhere."""
        if text not in self._seen:
            self._seen[text] = self._rewrite(text)
        return self._seen[text]

    def _columns(self, content: bytes) -> bytes:
        try:
            columns = read_any_columns(content)
        except ColumnFileError:
            return b""
        header = {key: value for key, value in columns.header.items() if key != "columns"}
        arrays = dict(columns.arrays)
        if "strings_offset" in arrays and "strings_bytes" in arrays:
            arrays |= pack_strings([self.text(text) for text in _strings(columns.arrays)])
        return write_columns(self._rewritten(header, ""), arrays)

    def _rewritten(self, value: Any, key: str) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, dict):
            return {self._key(name): self._member(name, one) for name, one in value.items()}
        if isinstance(value, list):
            return [self._rewritten(one, key) for one in value]
        if isinstance(value, str) and not field_rules.is_structure(key, value):
            return self._field(key, value)
        return value

    def _key(self, name: str) -> str:
        return name if name.isidentifier() and name.islower() else self.text(name)

    def _member(self, name: str, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if name in field_rules.LABELS:
            return self._labels(value)
        if name in field_rules.PEOPLE and isinstance(value, dict) and isinstance(value.get("name"), str):
            return {**self._rewritten(value, name), "name": self._field(name, value["name"])}
        return self._rewritten(value, name)

    def _labels(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, dict):
            return {self._key(key): self._label(key, one) for key, one in value.items()}
        if not isinstance(value, list):
            return self._rewritten(value, "")
        out: list[Any] = []
        for one in value:
            if isinstance(one, list) and len(one) == 2 and isinstance(one[0], str):
                out.append([self._key(one[0]), self._label(one[0], one[1])])
            elif isinstance(one, dict) and "value" in one and isinstance(key := one.get("key", one.get("name")), str):
                out.append({**self._rewritten(one, ""), "value": self._label(key, one["value"])})
            else:
                out.append(self._rewritten(one, ""))
        return out

    def _label(self, key: str, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, list):
            return [self._label(key, one) for one in value]
        if isinstance(value, dict):
            return {self._key(name): self._label(name, one) for name, one in value.items()}
        if field_rules.is_ordinary(key, value):
            return value
        text = value if isinstance(value, str) else json.dumps(value)
        known = self._known.get(text)
        if known is not None and known[0] != LABELS:
            return self._taken(*known, before=text)
        if self._on[LABELS]:
            return self._taken(LABELS, self._label_of(text), before=text) if text else value
        return self.text(value) if isinstance(value, str) else value

    def _field(self, key: str, value: str) -> str:
        """Return the text of a field whose name may say that all of it is a person's or a host's name."""
        known = self._known.get(value.strip())
        if known is not None:
            return self._taken(*known, before=value.strip())
        if key in field_rules.PEOPLE and self._on[USERS] and value and not text_patterns.UUID.fullmatch(value):
            match = ADDRESSED.fullmatch(value.strip())
            name = match[1] if match else value.strip()
            inner = self._known.get(name)
            return self._taken(USERS, inner[1] if inner else self._names[USERS].name(name), before=name)
        return self.text(value)

    def _taken(self, kind: str, after: str, before: str) -> str:
        if after != before:
            self._found[kind].setdefault(before, after)
        return after

    def _rewrite(self, text: str) -> str:
        if len(text) > MAX_TEXT:
            return ""
        known = self._known.get(text)
        if known is not None:
            return self._taken(*known, before=text)
        if self._on[PATHS] and text_patterns.WHOLE_PATH.fullmatch(text) and "://" not in text:
            return self._path(text)
        text = self._by_shape(text) if text_patterns.HINTS.search(text) else text
        return self._unlearned(text)

    def _unlearned(self, text: str) -> str:
        """Return a text without what was learnt elsewhere."""
        places = self._known.places(text)
        for begin, end, kind, after in reversed(places):
            text = text[:begin] + self._taken(kind, after, before=text[begin:end]) + text[end:]
        return text

    def _by_shape(self, text: str) -> str:
        if text_patterns.SYMBOL.fullmatch(text) and "://" not in text:
            return text
        return text_patterns.SECRETS.sub(self._instead, text)

    def _instead(self, match: re.Match[str]) -> str:
        kind, text = match.lastgroup, match[0]
        if kind == "url":
            return self._url(text)
        if kind == "mail":
            return self._mail(text)
        if kind in {"path", "windows"}:
            return self._path(text)
        host = text_patterns.without_port(text)
        following = match.string[match.end() : match.end() + 1]
        is_host = {
            "four": lambda: text_patterns.is_address(host),
            "six": lambda: text_patterns.is_address(host),
            "name": lambda: text_patterns.is_host(host, following),
        }
        if not self._on[HOSTS] or not is_host.get(kind or "", lambda: True)():
            return text
        return self._host(host) + text[text.index(host) + len(host) :].lstrip("]")

    def _path(self, path: str) -> str:
        if not self._on[PATHS]:
            return path
        return self._taken(PATHS, self._unlearned(text_patterns.last_element(path)), before=path)

    def _host(self, host: str) -> str:
        known = self._known.get(host)
        if known is not None:
            return self._taken(*known, before=host)
        return self._taken(HOSTS, self._names[HOSTS].name(host), before=host)

    def _url(self, text: str) -> str:
        scheme, _, rest = text.partition("://")
        if scheme.lower() == "file":
            return f"file:///{self._path(rest)}"
        if not self._on[HOSTS]:
            return text
        authority, slash, path = rest.partition("/")
        bare = authority.partition("?")[0].partition("#")[0].rpartition("@")[2]
        host = text_patterns.without_port(bare)
        plain = host.lower() in text_patterns.PUBLIC_HOSTS or _is_this_machine(host)
        shown = host if plain or not host else self._host(host)
        clean_path = re.split(r"[?#]", path, maxsplit=1)[0]  # a query may hold a token
        return f"{scheme}://{shown}{slash}{clean_path}"

    def _mail(self, text: str) -> str:
        local, _, domain = text.partition("@")
        end = domain.rpartition(".")[2]
        if "." not in domain or not end.isalpha():
            return text  # the version of a module
        if local.lower() == "git":
            is_public = domain.lower() in text_patterns.PUBLIC_HOSTS or not self._on[HOSTS]
            return text if is_public else f"git@{self._host(domain)}"
        if not (self._on[USERS] or self._on[HOSTS]):
            return text
        known = self._known.get(text)
        return self._taken(USERS, known[1] if known else self._names[USERS].name(text), before=text)


def _is_this_machine(host: str) -> bool:
    return host.lower() in {"localhost", "127.0.0.1", "::1", "0.0.0.0", "::"}  # noqa: S104 - read, not bound


def _read(media_type: str, content: bytes) -> tuple[Any, list[str]]:
    """Return the document of an answer (of columns: their header) and its table of strings."""
    if content.startswith(MAGIC):
        try:
            columns = read_any_columns(content)
        except ColumnFileError:
            return UNREADABLE, []
        return {key: value for key, value in columns.header.items() if key != "columns"}, _strings(columns.arrays)
    if not content:
        return "", []
    try:
        return (json.loads(content) if media_type.endswith("json") else content.decode()), []
    except ValueError:
        return UNREADABLE, []


def _strings(arrays: Mapping[str, Any]) -> list[str]:
    if "strings_offset" not in arrays or "strings_bytes" not in arrays:
        return []
    offsets = np.asarray(arrays["strings_offset"]).tolist()
    packed = np.asarray(arrays["strings_bytes"]).tobytes()
    return [packed[begin:end].decode("utf-8", "replace") for begin, end in pairwise(offsets)]
