"""Parse Go function names: package, standard library or not, short form."""

from functools import lru_cache

# First elements of import paths of the standard library (go list std, 1.11 to 1.27). A user's module path has a dot in
# its first element by convention, or is main.
_STANDARD = frozenset(
    [
        "archive",
        "bufio",
        "bytes",
        "cmp",
        "compress",
        "container",
        "context",
        "crypto",
        "database",
        "debug",
        "embed",
        "encoding",
        "errors",
        "expvar",
        "flag",
        "fmt",
        "go",
        "hash",
        "html",
        "image",
        "index",
        "internal",
        "io",
        "iter",
        "log",
        "maps",
        "math",
        "mime",
        "net",
        "os",
        "path",
        "plugin",
        "reflect",
        "regexp",
        "runtime",
        "slices",
        "sort",
        "strconv",
        "strings",
        "structs",
        "sync",
        "syscall",
        "testing",
        "text",
        "time",
        "unicode",
        "unique",
        "unsafe",
        "vendor",
        "weak",
    ]
)


@lru_cache(maxsize=65_536)
def package_of(name: str) -> str:
    """Return the import path of the package that a function belongs to; the name itself if it has none.

    `a.b/c.(*T).M` -> `a.b/c`. Type arguments may contain slashes and dots and are excluded.
    """
    if name.startswith("["):
        return name
    bracket = name.find("[")
    head = name if bracket < 0 else name[:bracket]
    dot = head.find(".", head.rfind("/") + 1)
    if dot < 0:
        return "runtime (assembly)" if head in _ASSEMBLY else head
    return head[:dot].replace("%2e", ".")


# File-local assembly symbols have no package; they all belong to the runtime.
_ASSEMBLY = frozenset(
    ["gcWriteBarrier", "aeshashbody", "memeqbody", "cmpbody", "indexbytebody", "countbody", "indexbody", "callRet"]
)


def is_standard(name: str) -> bool:
    """Return whether a function belongs to the standard library (or to no package at all)."""
    slash = name.find("/")
    if slash > 0 and "[" not in name[:slash]:  # the fast path for most names of a large program
        return name[:slash] in _STANDARD
    package = package_of(name)
    return package.partition("/")[0] in _STANDARD or package == "runtime (assembly)"


def is_standard_path(path: str) -> bool:
    """Return whether an import path, or that of a file below one, belongs to the standard library."""
    return path.partition("/")[0] in _STANDARD


def is_first_of_module(element: str) -> bool:
    """Return whether names that begin with this element and a slash are of a module, not of the standard library."""
    return element not in _STANDARD and "[" not in element


def short(name: str) -> str:
    """Return the name without the directories of its import path: `example.com/a/b.(*T).M` -> `b.(*T).M`."""
    bracket = name.find("[")
    head = name if bracket < 0 else name[:bracket]
    return name[head.rfind("/") + 1 :]
