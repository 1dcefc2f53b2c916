"""Detect hosts, paths, e-mail addresses and symbols by their form.

Function names are not hosts: `github.com/x/y.F` is unchanged. A dotted name is a host if its last part is a domain suffix;
two-letter suffixes and suffixes that are ordinary words require three parts, because `main.run` is a function.
"""

import re
from ipaddress import ip_address

PRIVATE_ENDS = frozenset(
    [
        "internal",
        "local",
        "lan",
        "corp",
        "svc",
        "cluster",
        "home",
        "intranet",
        "localdomain",
        "private",
        "consul",
        "test",
        "invalid",
        "localhost",
        "example",
    ]
)
FIRM_ENDS = frozenset(["com", "org", "net", "io", "edu", "gov", "mil", "int"])
WORD_ENDS = frozenset(
    [
        "info",
        "name",
        "app",
        "run",
        "dev",
        "cloud",
        "ai",
        "tech",
        "systems",
        "network",
        "site",
        "online",
        "host",
        "biz",
        "xyz",
        "zone",
        "services",
        "software",
        "digital",
        "company",
        "team",
        "group",
        "global",
        "live",
        "space",
        "store",
        "shop",
        "world",
        "page",
        "tools",
        "works",
        "solutions",
    ]
)
NOT_COUNTRIES = frozenset(
    [
        "go",
        "py",
        "rs",
        "sh",
        "md",
        "pl",
        "cc",
        "ml",
        "so",
        "ps",
        "is",
        "in",
        "to",
        "do",
        "id",
        "or",
        "if",
        "up",
        "on",
        "at",
        "by",
        "me",
        "my",
        "no",
        "of",
        "us",
    ]
)
"""Two letters that also end file and function names; hosts there need a private suffix, four parts, or learning."""
PUBLIC_HOSTS = frozenset(
    [
        "github.com",
        "gitlab.com",
        "bitbucket.org",
        "golang.org",
        "go.dev",
        "pkg.go.dev",
        "google.golang.org",
        "gopkg.in",
        "go.uber.org",
        "k8s.io",
        "sigs.k8s.io",
        "opentelemetry.io",
        "go.opentelemetry.io",
        "prometheus.io",
        "cel.dev",
        "go.etcd.io",
        "etcd.io",
        "w3.org",
    ]
)
"""Public hosts: they do not identify the reporter, and occur in function names."""

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?"
_PIECE = r"[^\s/\"'`<>|:;,()\[\]{}]+"
SECRETS = re.compile(
    rf"""
    (?P<url>[A-Za-z][A-Za-z0-9+.-]{{1,20}}://[^\s"'`<>|]+)
    | (?P<mail>(?<![\w./@+-])[A-Za-z0-9_.+%-]{{1,64}}@(?:{_LABEL}\.)*{_LABEL}(?![\w@]))
    | (?P<windows>(?<!\w)(?:[A-Za-z]:|\\)\\(?:[^\s\\/"'<>|:]+\\)+[^\s\\/"'<>|:]*)
    | (?P<path>(?:(?<![\w.:/)\]}}~@-])|(?<=\s-[A-Z]))/(?:{_PIECE}/)+(?:{_PIECE})?)
    | (?P<four>(?<![\w.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d{{1,5}})?(?![\w.]*\w))
    | (?P<six>(?<![\w:.])\[?(?:[0-9A-Fa-f]{{0,4}}:){{2,7}}[0-9A-Fa-f.]{{0,15}}(?:\](?::\d{{1,5}})?)?(?![\w:]))
    | (?P<cloud>(?<![\w.-])ip-\d{{1,3}}(?:-\d{{1,3}}){{3}}(?:\.{_LABEL})*)
    | (?P<pod>(?<![\w./-])[a-z0-9](?:[a-z0-9-]*[a-z0-9])?-[a-f0-9]{{8,10}}-[a-z0-9]{{5}}(?![\w-]))
    | (?P<name>(?<![\w./@\\*)(-])(?:{_LABEL}\.)+[A-Za-z][A-Za-z0-9-]{{1,62}}(?::\d{{1,5}})?(?![\w(*\[-]))
    """,
    re.VERBOSE,
)
"""All patterns that are searched in any text; the matched group names the kind."""
HINTS = re.compile(r"[/\\@.:]|-[a-f0-9]{8}|ip-\d")
"""A text without a match contains no secret by its form."""
WHOLE_PATH = re.compile(r"/[^\n\"<>|]*/[^\n\"<>|/]*\.[A-Za-z0-9_]{1,8}")
SYMBOL = re.compile(r"[\w.~%@+-]+(?:/[\w.~%@+-]+)+\.[\w(\[*].*|[\w.]+\.\(\*?[A-Za-z_].*", re.DOTALL)
"""A function with its package, as Go writes it."""
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_host(name: str, following: str) -> bool:
    """Return whether a dotted name without a port is a host's; `following` is the next character."""
    parts = name.lower().split(".")
    end = parts[-1]
    if end in PRIVATE_ENDS:
        return len(parts) > 2 or end != "test"
    if name.lower() in PUBLIC_HOSTS or following == "/":  # the path of a module
        return False
    needed = next((least for ends, least in ((FIRM_ENDS, 2), (WORD_ENDS, 3), (NOT_COUNTRIES, 4)) if end in ends), 3)
    return len(parts) >= needed and (end in FIRM_ENDS or end in WORD_ENDS or len(end) == 2)


def is_address(text: str) -> bool:
    """Return whether it is an IP address that identifies something: not loopback or unspecified."""
    try:
        found = ip_address(text)
    except ValueError:
        return False
    return not (found.is_loopback or found.is_unspecified)


def without_port(host: str) -> str:
    """Return a host or an address without its port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() and ":" not in name else host


def last_element(path: str) -> str:
    """Return what remains of a path: its last element, except for a home folder, which is a person's name."""
    separator = "\\" if "\\" in path and "/" not in path else "/"
    parts = [part for part in path.split(separator) if part]
    if len(parts) <= 2 and parts and parts[0].lower() in {"home", "users"}:
        return "~"
    return parts[-1] if parts else path
