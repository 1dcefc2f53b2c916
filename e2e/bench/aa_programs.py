"""Programs of the A/A captures: their sources, commands and load.

All are public programs or libraries, built from their modules at fixed versions; libraries get a small server
(`aa_sources/`). Placeholders: `{listen}` and `{admin}` are addresses of the program, `{load}` that of the load generator,
`{dir}` a separate folder.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Phase:
    """A phase of the load: number of profiles, multiple of the program's rate, share of heavy requests."""

    name: str
    profiles: int
    rate: float = 1.0
    heavy: float = 0.0
    neighbor: bool = False


CYCLE = (
    Phase("steady", 10),
    Phase("load step", 5, rate=1.4),
    Phase("garbage", 4, heavy=0.1),
    Phase("noisy neighbor", 5, neighbor=True),
)
STEADY = (Phase("steady", 24),)


@dataclass(frozen=True)
class Target:
    """One kind of request. The placeholders of `url` and `line` are documented in `aa_sources/load/main.go`."""

    url: str
    method: str = "GET"
    line: str = ""
    repeat: int = 0
    pad: int = 0
    weight: int = 1
    heavy: bool = False


@dataclass(frozen=True)
class Program:
    """A program under test. `rate` is in requests per second; with `every_ms`, requests have exactly these intervals."""

    name: str
    module: str
    version: str
    licence: str
    package: str | None
    """The main package in the module; None for a library, whose main package is `aa_sources/NAME`."""
    arguments: tuple[str, ...]
    pprof: str
    ready: str
    rate: float
    targets: tuple[Target, ...]
    files: dict[str, str] = field(default_factory=dict)
    phases: tuple[Phase, ...] = CYCLE
    keys: int = 20_000
    connections: int = 8
    every_ms: int = 0
    nats: str = ""
    source: str = ""
    """Folder of a library's server in `aa_sources`; the program's name if empty."""
    reserved: bool = False
    """Whether the program is reserved for the final check: nothing may be tuned on its captures."""

    @property
    def lockstep(self) -> bool:
        """Return whether requests are sent in step with the clock of the profiler."""
        return self.every_ms > 0

    @property
    def quiet(self) -> bool:
        """Return whether the load never changes."""
        return len(self.phases) == 1


_CADDYFILE = """{
	admin {admin}
	auto_https off
	servers {
		protocols h1
	}
}
http://{listen} {
	handle /proxy/* {
		rewrite * /page
		reverse_proxy {load}
	}
	handle /page.html {
		root * {dir}
		encode gzip
		templates
		file_server
	}
	respond /healthz 204
}
"""
_PAGE = "<html><body>{{range $i, $e := list 1 2 3 4 5 6 7 8}}<p>Line {{$e}} of {{$.Req.URL.Path}}</p>{{end}}</body></html>\n"
_SERIES = 'load_metric{host="web-{n}",job="api",zone="z1"} {n} {now}\n'

PROGRAMS = {
    program.name: program
    for program in (
        Program(
            name="caddy",
            module="github.com/caddyserver/caddy/v2",
            version="v2.11.9",
            licence="Apache-2.0",
            package="github.com/caddyserver/caddy/v2/cmd/caddy",
            arguments=("run", "--adapter", "caddyfile", "--config", "{dir}/Caddyfile"),
            files={"Caddyfile": _CADDYFILE, "page.html": _PAGE},
            pprof="http://{admin}/debug/pprof",
            ready="http://{listen}/healthz",
            rate=2_000,
            targets=(
                Target("http://{listen}/proxy/{n}", weight=6),
                Target("http://{listen}/page.html", weight=1),
                Target("http://{listen}/proxy/{n}", method="POST", line="{pad}", repeat=1, pad=20_000, heavy=True),
            ),
        ),
        Program(
            name="victoriametrics",
            module="github.com/VictoriaMetrics/VictoriaMetrics",
            version="v0.0.0-20250718125606-9d9bea03485e",
            licence="Apache-2.0",
            package="github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics",
            arguments=("-httpListenAddr={listen}", "-storageDataPath={dir}/data", "-search.latencyOffset=0s"),
            pprof="http://{listen}/debug/pprof",
            ready="http://{listen}/health",
            rate=800,
            keys=2_000,
            targets=(
                Target("http://{listen}/api/v1/import/prometheus", "POST", line=_SERIES, repeat=100, weight=3),
                Target("http://{listen}/api/v1/query?query=sum(load_metric{host=~%22web-{n}.*%22})by(zone)", weight=2),
                Target("http://{listen}/api/v1/import/prometheus", "POST", line=_SERIES, repeat=500, heavy=True),
            ),
        ),
        Program(
            name="etcd",
            module="go.etcd.io/etcd/server/v3",
            version="v3.7.3",
            licence="Apache-2.0",
            package="go.etcd.io/etcd/server/v3",
            arguments=(
                "--data-dir={dir}/data",
                "--listen-client-urls=http://{listen}",
                "--advertise-client-urls=http://{listen}",
                "--listen-peer-urls=http://{admin}",
                "--initial-advertise-peer-urls=http://{admin}",
                "--initial-cluster=default=http://{admin}",
                "--enable-pprof",
                "--unsafe-no-fsync",
                "--log-level=error",
            ),
            pprof="http://{listen}/debug/pprof",
            ready="http://{listen}/health",
            rate=900,
            targets=(
                Target("http://{listen}/v3/kv/put", "POST", '{"key": "{key}", "value": "{pad}"}', 1, pad=200, weight=2),
                Target("http://{listen}/v3/kv/range", "POST", '{"key": "{key}"}', 1, weight=3),
                Target(
                    "http://{listen}/v3/kv/put", "POST", '{"key": "{key}", "value": "{pad}"}', 1, pad=8_000, heavy=True
                ),
            ),
        ),
        Program(
            name="nats",
            module="github.com/nats-io/nats-server/v2",
            version="v2.15.2",
            licence="Apache-2.0",
            package="github.com/nats-io/nats-server/v2",
            arguments=("--addr", "127.0.0.1", "--port", "{listen_port}", "--profile", "{admin_port}"),
            pprof="http://{admin}/debug/pprof",
            ready="http://{admin}/debug/pprof/cmdline",
            rate=110_000,
            connections=4,
            keys=500,
            nats="{listen}",
            targets=(Target("", pad=128), Target("", pad=2_048, heavy=True)),
        ),
        Program(
            name="esbuild",
            module="github.com/evanw/esbuild",
            version="v0.28.2",
            licence="MIT",
            package=None,
            arguments=("-listen", "{listen}", "-dir", "{dir}/src"),
            pprof="http://{listen}/debug/pprof",
            ready="http://{listen}/debug/pprof/cmdline",
            rate=16,
            connections=4,
            targets=(
                Target("http://{listen}/build?tree={n}", weight=3),
                Target("http://{listen}/build?tree={n}&minify=1", weight=1),
                Target("http://{listen}/build?tree=2&minify=1", heavy=True),
            ),
        ),
        Program(
            name="badger",
            module="github.com/dgraph-io/badger/v4",
            version="v4.9.6",
            licence="Apache-2.0",
            package=None,
            arguments=("-listen", "{listen}", "-dir", "{dir}/data"),
            pprof="http://{listen}/debug/pprof",
            ready="http://{listen}/debug/pprof/cmdline",
            rate=3_500,
            targets=(
                Target("http://{listen}/key/key-{n}", "PUT", "{pad}", 1, pad=300, weight=3),
                Target("http://{listen}/key/key-{n}", weight=5),
                Target("http://{listen}/scan/key-{n}", weight=1),
                Target("http://{listen}/key/key-{n}", "PUT", "{pad}", 1, pad=20_000, heavy=True),
            ),
        ),
        Program(
            name="bleve",
            module="github.com/blevesearch/bleve/v2",
            version="v2.6.3",
            licence="Apache-2.0",
            package=None,
            arguments=("-listen", "{listen}", "-dir", "{dir}/data"),
            pprof="http://{listen}/debug/pprof",
            ready="http://{listen}/debug/pprof/cmdline",
            rate=300,
            targets=(
                Target("http://{listen}/search/words?n={n}", weight=4),
                Target("http://{listen}/search/phrase?n={n}", weight=2),
                Target("http://{listen}/search/prefix?n={n}", weight=2),
                Target("http://{listen}/documents/{n}?words=60", "PUT", weight=1),
                Target("http://{listen}/documents/{n}?words=1500", "PUT", heavy=True),
            ),
        ),
        Program(
            name="goja",
            module="github.com/dop251/goja",
            version="v0.0.0-20260917113740-793a2a65c13b",
            licence="MIT",
            package=None,
            arguments=("-listen", "{listen}"),
            pprof="http://{listen}/debug/pprof",
            ready="http://{listen}/debug/pprof/cmdline",
            rate=600,
            targets=(
                Target("http://{listen}/run/summary?n={n}", weight=3),
                Target("http://{listen}/run/ranking?n={n}", weight=3),
                Target("http://{listen}/run/page?n={n}", weight=2),
                Target("http://{listen}/run/primes?n={n}", weight=1),
                Target("http://{listen}/run/garbage?n={n}", heavy=True),
            ),
        ),
        Program(
            name="sqlite",
            module="modernc.org/sqlite",
            version="v1.61.1",
            licence="BSD-3-Clause",
            package=None,
            arguments=("-listen", "{listen}", "-dir", "{dir}"),
            pprof="http://{listen}/debug/pprof",
            ready="http://{listen}/debug/pprof/cmdline",
            rate=1_800,
            reserved=True,
            targets=(
                Target("http://{listen}/orders?n={n}&lines=3", "POST", weight=2),
                Target("http://{listen}/orders/{n}", weight=4),
                Target("http://{listen}/customers/{n}", weight=2),
                Target("http://{listen}/orders?n={n}&lines=200", "POST", heavy=True),
            ),
        ),
        Program(
            name="chroma",
            module="github.com/alecthomas/chroma/v2",
            version="v2.27.0",
            licence="MIT",
            package=None,
            arguments=("-listen", "{listen}"),
            pprof="http://{listen}/debug/pprof",
            ready="http://{listen}/debug/pprof/cmdline",
            rate=150,
            reserved=True,
            targets=(
                Target("http://{listen}/highlight/go?n={n}", weight=3),
                Target("http://{listen}/highlight/python?n={n}", weight=2),
                Target("http://{listen}/highlight/sql?n={n}", weight=2),
                Target("http://{listen}/highlight/json?n={n}", weight=1),
                Target("http://{listen}/highlight/go?n={n}&times=30", heavy=True),
            ),
        ),
        Program(
            name="goldmark",
            module="github.com/yuin/goldmark",
            version="v1.8.7",
            licence="MIT",
            package=None,
            arguments=("-listen", "{listen}"),
            pprof="http://{listen}/debug/pprof",
            ready="http://{listen}/debug/pprof/cmdline",
            rate=60,
            phases=STEADY,
            targets=(Target("http://{listen}/render"),),
        ),
        Program(
            name="goldmark-lockstep",
            source="goldmark",
            module="github.com/yuin/goldmark",
            version="v1.8.7",
            licence="MIT",
            package=None,
            arguments=("-listen", "{listen}"),
            pprof="http://{listen}/debug/pprof",
            ready="http://{listen}/debug/pprof/cmdline",
            rate=50,
            every_ms=20,
            phases=STEADY,
            targets=(Target("http://{listen}/render"),),
        ),
    )
}
