"""Two real Valkey servers and the three Sentinels that watch them, as commands of processes."""

from dataclasses import dataclass
from pathlib import Path

import redis

from bootstrap_parts.machine_checks import free_port
from bootstrap_parts.valkey import binary

PRIMARY = "slowpath"
PASSWORD = "of-the-tests-and-no-secret"
SENTINELS = 3
DOWN_MS = 1_000


@dataclass(frozen=True)
class WatchedValkey:
    """The commands by name, and how the servers are reached."""

    commands: dict[str, tuple[str, ...]]
    ports: dict[str, int]
    """Ports of the two servers, by name."""
    sentinel_ports: tuple[int, ...]
    fronts: dict[int, int]
    """Ports that lead to another one, where the process listens: those of a front, if there is one."""

    @property
    def url(self) -> str:
        """Return the address for `BROKER_URL`."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.sentinel_ports)
        return f"sentinel://:{PASSWORD}@{hosts}/{PRIMARY}"

    def primary(self) -> str | None:
        """Return the name of the server that most Sentinels call the primary, if it is one."""
        called = [self._called_by(port) for port in self.sentinel_ports]
        for name, port in self.ports.items():
            if called.count(port) * 2 > len(called) and self._role_of(port) == "master":
                return name
        return None

    def is_ready(self) -> bool:
        """Return whether there is a primary whose replica is connected, and all Sentinels know the replica and each other.

        Sentinels ask a primary for its replicas every ten seconds; from one that is killed before, none learns of them.
        """
        primary = self.primary()
        if primary is None:
            return False
        with self._client(self.ports[primary]) as client:
            replicas = client.info("replication")["connected_slaves"]
        return replicas == 1 and all(
            self._others_of(port) == SENTINELS - 1 and self._knows_replica(port) for port in self.sentinel_ports
        )

    def _called_by(self, sentinel_port: int) -> int | None:
        try:
            with redis.Redis(port=sentinel_port, socket_timeout=1) as sentinel:
                found = sentinel.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", PRIMARY)
                return int(found[1])
        except (redis.RedisError, TypeError):
            return None

    def _others_of(self, sentinel_port: int) -> int:
        with redis.Redis(port=sentinel_port, socket_timeout=1) as sentinel:
            return int(sentinel.info("sentinel")["master0"]["sentinels"]) - 1

    def _knows_replica(self, sentinel_port: int) -> bool:
        with redis.Redis(port=sentinel_port, socket_timeout=1) as sentinel:
            known = sentinel.sentinel_slaves(PRIMARY)
        return any(not one["is_sdown"] and one["master-link-status"] == "ok" for one in known)

    def _role_of(self, port: int) -> str | None:
        try:
            with self._client(port) as client:
                return str(client.info("replication")["role"])
        except redis.RedisError:
            return None

    @staticmethod
    def _client(port: int) -> redis.Redis:
        return redis.Redis(port=port, password=PASSWORD, socket_timeout=1)


def watched_valkey(folder: Path, *, behind_front: bool = False) -> WatchedValkey:
    """Write the configurations into a folder, and return the commands.

    With `behind_front` they are known by the ports of a front, which the caller starts.
    """
    fronts: dict[int, int] = {}

    def listen(port: int) -> int:
        return fronts.setdefault(port, free_port()) if behind_front else port

    ports = {"valkey-1": free_port(), "valkey-2": free_port()}
    first = ports["valkey-1"]
    commands: dict[str, tuple[str, ...]] = {}
    for name, port in ports.items():
        of_replica = "" if port == first else f"replicaof 127.0.0.1 {first}\n"
        commands[name] = _configured(
            folder / name,
            f"port {listen(port)}\nreplica-announce-port {port}\nrequirepass {PASSWORD}\nprimaryauth {PASSWORD}\nrepl-diskless-sync-delay 0\n"
            f'appendonly no\nsave ""\n{of_replica}',
        )
    sentinel_ports = tuple(free_port() for _ in range(SENTINELS))
    for number, port in enumerate(sentinel_ports, 1):
        commands[f"sentinel-{number}"] = (
            *_configured(
                folder / f"sentinel-{number}",
                f"port {listen(port)}\nsentinel announce-port {port}\nsentinel monitor {PRIMARY} 127.0.0.1 {first} 2\nsentinel auth-pass {PRIMARY} {PASSWORD}\n"
                f"sentinel down-after-milliseconds {PRIMARY} {DOWN_MS}\nsentinel failover-timeout {PRIMARY} 10000\n",
            ),
            "--sentinel",
        )
    return WatchedValkey(commands, ports, sentinel_ports, fronts)


def _configured(folder: Path, lines: str) -> tuple[str, ...]:
    folder.mkdir()
    path = folder / "valkey.conf"
    path.write_text(f"bind 127.0.0.1\ndir {folder}\n{lines}")
    return str(binary()), str(path)
