"""What gives a host, a path, an e-mail or a symbol away by how it is written.

Names of functions are no hosts: `github.com/x/y.F` stays. A dotted name is a host when its end is one that names of
hosts have; two-letter ends and ends that are ordinary words need three parts, because `main.run` is a function.
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
"""Two letters that end names of files and functions too; a host in one of these countries has a private end, four parts, or is learnt."""
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
"""Hosts of everybody: they tell nothing of who reports, and stand in the names of functions."""

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
"""Everything that is looked for in any text; which group matched tells what it may be."""
HINTS = re.compile(r"[/\\@.:]|-[a-f0-9]{8}|ip-\d")
"""What a text without it can hold no secret by its shape."""
WHOLE_PATH = re.compile(r"/[^\n\"<>|]*/[^\n\"<>|/]*\.[A-Za-z0-9_]{1,8}")
SYMBOL = re.compile(r"[\w.~%@+-]+(?:/[\w.~%@+-]+)+\.[\w(\[*].*|[\w.]+\.\(\*?[A-Za-z_].*", re.DOTALL)
"""A function with its package, as Go writes it."""
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_host(name: str, following: str) -> bool:
    """Tell whether a dotted name without a port is a host's; `following` is the letter behind it."""
    parts = name.lower().split(".")
    end = parts[-1]
    if end in PRIVATE_ENDS:
        return len(parts) > 2 or end != "test"
    if name.lower() in PUBLIC_HOSTS or following == "/":  # the path of a module
        return False
    needed = next((least for ends, least in ((FIRM_ENDS, 2), (WORD_ENDS, 3), (NOT_COUNTRIES, 4)) if end in ends), 3)
    return len(parts) >= needed and (end in FIRM_ENDS or end in WORD_ENDS or len(end) == 2)


def is_address(text: str) -> bool:
    """Tell whether it is an IP address that tells something: the machine itself and nobody do not."""
    try:
        found = ip_address(text)
    except ValueError:
        return False
    return not (found.is_loopback or found.is_unspecified)


def without_port(host: str) -> str:
    """Return a host, or an address, without its port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() and ":" not in name else host


def last_element(path: str) -> str:
    """Return what is kept of a path: its last element; a home folder is a person's name."""
    separator = "\\" if "\\" in path and "/" not in path else "/"
    parts = [part for part in path.split(separator) if part]
    if len(parts) <= 2 and parts and parts[0].lower() in {"home", "users"}:
        return "~"
    return parts[-1] if parts else path
