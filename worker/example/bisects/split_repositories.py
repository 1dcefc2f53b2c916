"""Split the ingester of `../ingester` into three repositories: a shop's monorepo, a database, and a library below it.

The program is not duplicated: its packages move to other import paths, and have the same depth on the stack.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "ingester"
MONO, LIBDB, LIBX = "shop.example/mono", "db.example/libdb", "x.example/libx"
IN_LIBX = ("ident", "retry", "wire")
IN_LIBDB = ("cluster", "commitlog", "rpc", "series", "storage")
SERVICE = "services/ingester"
IN_SERVICE = ("downsample", "fanout", "ingest", "meter")
OTHERS = ("ledger", "mail", "quote", "search", "stock")
"""Services of the monorepo that are independent of the ingester."""
GO = "1.26"
REJECTIONS = ("maxRejections = 26", "maxRejections = 22")
"""Reduces the deepest frame by about a hundred bytes: the base then ends far enough below 4 KiB that small additions have no effect."""
CLONED = """	copy(slot, id)
	return ID{Data: slot}
}
"""
HELPED = """	return ID{Data: cloneBytes(slot, id)}
}

// cloneBytes copies an identifier by way of the stack, so that tags, which move while they are read, can use it too. The compiler finds it
// too large to inline.
//
//go:noinline
func cloneBytes(slot, src []byte) []byte {
	var room [224]byte
	for done := 0; done < len(src); {
		done += copy(slot[done:], room[:copy(room[:], src[done:])])
	}
	return slot
}
"""


@dataclass(frozen=True)
class RepositoryPart:
    """Initial files of a repository. `read` are the folders of packages that the service is built of, `others` those of others."""

    module: str
    files: Mapping[str, bytes]
    read: tuple[str, ...]
    others: tuple[str, ...]


def libx() -> RepositoryPart:
    """Return the library: identifiers, the wire format, retries; and an unused package."""
    files = {**_packages(IN_LIBX, ""), **_idle("clock"), **_idle("colors")}
    return RepositoryPart(LIBX, files, IN_LIBX, ("clock", "colors"))


def libdb() -> RepositoryPart:
    """Return the database: from the session that writes to replicas to the commit log."""
    files = {**_packages(IN_LIBDB, ""), **_idle("repair"), **_idle("backup")}
    storage = files["storage/storage.go"].replace(REJECTIONS[0].encode(), REJECTIONS[1].encode())
    return RepositoryPart(LIBDB, {**files, "storage/storage.go": storage}, IN_LIBDB, ("repair", "backup"))


def mono() -> RepositoryPart:
    """Return the monorepo: the ingester, and unrelated services."""
    service = {f"{SERVICE}/main.go": _moved(SOURCE / "main.go"), **_packages(IN_SERVICE, f"{SERVICE}/")}
    others: dict[str, bytes] = {}
    for name in OTHERS:
        others[f"services/{name}/main.go"] = (
            f"// Command {name} is another service.\npackage main\n\nfunc main() {{}}\n".encode()
        )
    read = (SERVICE, *(f"{SERVICE}/{name}" for name in IN_SERVICE))
    return RepositoryPart(MONO, {**service, **others}, read, tuple(f"services/{name}" for name in OTHERS))


def go_mod(module: str, required: Mapping[str, str]) -> bytes:
    """Return a go.mod."""
    lines = "".join(f"\t{name} {version}\n" for name, version in sorted(required.items()))
    return (f"module {module}\n\ngo {GO}\n" + (f"\nrequire (\n{lines})\n" if lines else "")).encode()


def with_helper(clone: bytes) -> bytes:
    """Return the culprit: the copying of Clone, extracted into a helper function with a separate frame."""
    assert CLONED.encode() in clone
    return clone.replace(CLONED.encode(), HELPED.encode())


def _packages(names: tuple[str, ...], below: str) -> dict[str, bytes]:
    """Return the packages of the ingester without tests and files excluded by build tags."""
    out = {}
    for name in names:
        for path in sorted((SOURCE / name).glob("*.go")):
            if not path.name.endswith(("_test.go", "_helper.go", "_pool.go")):
                file = path.name.replace("_inlined", "").replace("_goroutine", "")
                out[f"{below}{name}/{file}"] = _moved(path)
    return out


def _moved(path: Path) -> bytes:
    text = path.read_text(encoding="utf-8")
    for tag in ("//go:build !helper\n\n", "//go:build !pool\n\n"):
        text = text.removeprefix(tag)
    for names, place in ((IN_LIBX, LIBX), (IN_LIBDB, LIBDB), (IN_SERVICE, f"{MONO}/{SERVICE}")):
        for name in names:
            text = text.replace(f'"ingester/{name}"', f'"{place}/{name}"')
    return text.encode()


def _idle(name: str) -> dict[str, bytes]:
    return {f"{name}/{name}.go": f"// Package {name} is read by other programs.\npackage {name}\n".encode()}
