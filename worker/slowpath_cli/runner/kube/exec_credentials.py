"""A program that gives credentials of a cluster, as `kubectl` runs it: `client.authentication.k8s.io`.

It is run without a shell and without a terminal, in a session of its own, for so long and with so much output; what it
gives is kept until it expires or is not taken any more. What it prints is a secret: no error ever says it.
"""

import json
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from slowpath_cli.collect.pprof_client import printable
from slowpath_cli.runner.core.driver_interface import InvalidDriverConfig
from slowpath_cli.runner.core.tls_trust import TlsTrust
from slowpath_cli.runner.kube.kubeconfig_files import KubeconfigEntry, objects, text

VERSIONS: Final = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
INFO: Final = "KUBERNETES_EXEC_INFO"
HIDDEN: Final = "SLOWPATH_"
"""Variables that begin so are the runner's own: its token, and those of its drivers."""
WITHIN_SECONDS: Final = 60.0
MOST_BYTES: Final = 1024 * 1024
MOST_SAID: Final = 64 * 1024
AGAIN_SECONDS: Final = 10.0
"""What is not taken is asked for anew, but not more often than that."""
PIECE: Final = 65_536


@dataclass(frozen=True)
class ExecCredential:
    """What a program gave."""

    token: str | None = field(repr=False)
    certificate: str | None
    key: str | None = field(repr=False)
    until: float | None
    """Seconds since 1970."""


@dataclass
class ExecCredentialPlugin:
    """One program. For several threads: it runs once at a time."""

    called: str
    argv: list[str]
    environment: Mapping[str, str]
    version: str
    cluster: Mapping[str, Any] | None
    hint: str
    within_seconds: float
    now: Callable[[], float] = time.time
    _given: ExecCredential | None = None
    _ran_at: float = -AGAIN_SECONDS
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def read(cls, name: str, program: KubeconfigEntry, cluster: Mapping[str, Any]) -> "ExecCredentialPlugin":
        """Read the exec section of a user. Raises `InvalidDriverConfig`."""
        called, command, version = (
            f"The exec plugin of the context {name}",
            program.text("command"),
            program.text("apiVersion"),
        )
        if version not in VERSIONS:
            raise InvalidDriverConfig(f"{called} speaks {version or 'no version'}: known are {', '.join(VERSIONS)}.")
        if program.text("interactiveMode") == "Always":
            raise InvalidDriverConfig(f"{called} asks a person (interactiveMode: Always), and there is none.")
        words = program.told.get("args")
        argv = [command, *(words if isinstance(words, list) else [])]
        variables = {text(each, "name"): str(each.get("value") or "") for each in objects(program.told, "env")}
        if not command or any(
            not isinstance(word, str) or "\0" in word for word in (*argv, *variables, *variables.values())
        ):
            raise InvalidDriverConfig(f"{called} has no command that can be run.")
        if "/" in command:
            argv[0] = str(program.folder / command)  # "./get-token" is meant from the file it stands in
        told = cluster if program.text("provideClusterInfo") in {"true", "True", "TRUE"} else None
        return cls(called, argv, variables, version, told, program.text("installHint"), WITHIN_SECONDS)

    def token(self) -> str:
        """Return the token; an empty one where certificates are given alone. Raises `InvalidDriverConfig`."""
        return self._current().token or ""

    def shown(self) -> tuple[str | None, str | None]:
        """Return the certificate and its key, if they are what is given. Raises `InvalidDriverConfig`."""
        given = self._current()
        return given.certificate, given.key

    def refused(self) -> bool:
        """What was given is not taken: it is had anew, unless that was done a moment ago. Tells that asking again may help."""
        with self._lock:
            if self.now() - self._ran_at >= AGAIN_SECONDS:
                self._given = None
            return True

    def _current(self) -> ExecCredential:
        with self._lock:
            given = self._given
            if given is None or (given.until is not None and self.now() >= given.until):
                self._ran_at = self.now()
                given = self._given = self._read(self._run())
            return given

    # -- running

    def _run(self) -> bytes:
        """Run it and return what it prints. Raises `InvalidDriverConfig`."""
        spec: dict[str, Any] = {"interactive": False} | ({} if self.cluster is None else {"cluster": self.cluster})
        info = {"apiVersion": self.version, "kind": "ExecCredential", "spec": spec}
        usual = {name: value for name, value in os.environ.items() if not name.startswith(HIDDEN)}
        try:
            running = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                env={**usual, **self.environment, INFO: json.dumps(info, separators=(",", ":"))},
            )  # fmt: skip
        except (OSError, ValueError) as error:
            hint = f" {printable(self.hint, 200)}" if self.hint else ""
            raise InvalidDriverConfig(f"{self.called} cannot be run: {self.argv[0]}: {error}.{hint}") from error
        with running:
            try:
                printed, said = self._heard(running)
                code = running.wait(self.within_seconds)
            except BaseException as error:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(running.pid, signal.SIGKILL)
                if isinstance(error, subprocess.TimeoutExpired):
                    raise InvalidDriverConfig(f"{self.called} does not end.") from error
                raise
        if code != 0:
            words = printable(" ".join(said.decode("utf-8", "replace").split())[-300:], 300)
            raise InvalidDriverConfig(f"{self.called} ends with {code}: {words or 'without a word'}")
        return printed

    def _heard(self, running: "subprocess.Popen[bytes]") -> tuple[bytes, bytes]:
        """Return what it prints and the end of what it says beside that. Raises `InvalidDriverConfig`."""
        assert running.stdout is not None
        assert running.stderr is not None
        printed, said, until = bytearray(), bytearray(), time.monotonic() + self.within_seconds
        with selectors.DefaultSelector() as waiting:
            waiting.register(running.stdout, selectors.EVENT_READ, printed)
            waiting.register(running.stderr, selectors.EVENT_READ, said)
            while waiting.get_map():
                left = until - time.monotonic()
                if left <= 0:
                    raise InvalidDriverConfig(f"{self.called} takes longer than {self.within_seconds:g} s.")
                for key, _ in waiting.select(left):
                    piece = os.read(key.fd, PIECE)
                    if not piece:
                        waiting.unregister(key.fileobj)
                    key.data.extend(piece)
                del said[:-MOST_SAID]
                if len(printed) > MOST_BYTES:
                    raise InvalidDriverConfig(f"{self.called} prints more than {MOST_BYTES:,} bytes.")
        return bytes(printed), bytes(said)

    # -- reading

    def _read(self, printed: bytes) -> ExecCredential:
        """Read what it printed. Raises `InvalidDriverConfig`."""
        try:
            told = json.loads(printed)
        except (ValueError, RecursionError) as error:
            raise InvalidDriverConfig(f"{self.called} prints no JSON.") from error
        if not isinstance(told, dict) or told.get("kind") != "ExecCredential" or told.get("apiVersion") != self.version:
            raise InvalidDriverConfig(f"{self.called} prints no ExecCredential of {self.version}.")
        status = told.get("status")
        status = status if isinstance(status, dict) else {}
        token, certificate, key = (
            self._text(status, name) for name in ("token", "clientCertificateData", "clientKeyData")
        )
        if (certificate is None) != (key is None) or (token is None and certificate is None):
            raise InvalidDriverConfig(f"{self.called} gives no token, and no certificate with its key.")
        if token is not None and not (token.isascii() and token.isprintable()):
            raise InvalidDriverConfig(f"{self.called} gives a token that no header can carry.")
        TlsTrust(certificate=certificate, key=key, named=self.called).context()
        return ExecCredential(token, certificate, key, self._until(status.get("expirationTimestamp")))

    def _text(self, status: Mapping[str, Any], name: str) -> str | None:
        found = status.get(name)
        if found is not None and not isinstance(found, str):
            raise InvalidDriverConfig(f"{self.called} gives {name} that is no text.")
        return found.strip() or None if found else None

    def _until(self, told: object) -> float | None:
        if told is None:
            return None
        try:
            moment = datetime.fromisoformat(str(told))
        except ValueError as error:
            raise InvalidDriverConfig(f"{self.called} gives an expirationTimestamp that is no moment.") from error
        if moment.tzinfo is None:
            raise InvalidDriverConfig(f"{self.called} gives an expirationTimestamp without a zone.")
        return moment.timestamp()
