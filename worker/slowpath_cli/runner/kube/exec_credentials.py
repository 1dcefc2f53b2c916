"""Run an exec plugin for the credentials of a cluster, as `kubectl` does: `client.authentication.k8s.io`.

The plugin runs without shell and terminal in a separate session, with limits for time and output. Its credentials are
cached until they expire or are rejected. Its output is secret: errors never contain it.
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
EXCLUDED_PREFIX: Final = "SLOWPATH_"
"""Prefix of variables that the plugin does not get: the tokens of the runner and its drivers."""
TIMEOUT_SECONDS: Final = 60.0
MAX_BYTES: Final = 1024 * 1024
MAX_STDERR_BYTES: Final = 64 * 1024
RETRY_SECONDS: Final = 10.0
"""Shortest pause between two runs after rejected credentials."""
PIECE: Final = 65_536


@dataclass(frozen=True)
class ExecCredential:
    """Credentials of a plugin."""

    token: str | None = field(repr=False)
    certificate: str | None
    key: str | None = field(repr=False)
    until: float | None
    """Seconds since 1970."""


@dataclass
class ExecCredentialPlugin:
    """One plugin. Thread-safe: it runs once at a time."""

    called: str
    argv: list[str]
    environment: Mapping[str, str]
    version: str
    cluster: Mapping[str, Any] | None
    hint: str
    within_seconds: float
    now: Callable[[], float] = time.time
    _given: ExecCredential | None = None
    _ran_at: float = -RETRY_SECONDS
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
            raise InvalidDriverConfig(
                f"{called} has the version {version or 'none'}; supported are {', '.join(VERSIONS)}."
            )
        if program.text("interactiveMode") == "Always":
            raise InvalidDriverConfig(
                f"{called} needs a terminal (interactiveMode: Always), which the runner does not have."
            )
        words = program.fields.get("args")
        argv = [command, *(words if isinstance(words, list) else [])]
        variables = {text(each, "name"): str(each.get("value") or "") for each in objects(program.fields, "env")}
        if not command or any(
            not isinstance(word, str) or "\0" in word for word in (*argv, *variables, *variables.values())
        ):
            raise InvalidDriverConfig(f"{called} has no valid command.")
        if "/" in command:
            argv[0] = str(program.folder / command)  # "./get-token" is relative to the kubeconfig
        cluster_info = cluster if program.text("provideClusterInfo") in {"true", "True", "TRUE"} else None
        return cls(called, argv, variables, version, cluster_info, program.text("installHint"), TIMEOUT_SECONDS)

    def token(self) -> str:
        """Return the token, empty if the plugin gives only a certificate. Raises `InvalidDriverConfig`."""
        return self._current().token or ""

    def shown(self) -> tuple[str | None, str | None]:
        """Return the certificate and its key, if the plugin gives them. Raises `InvalidDriverConfig`."""
        given = self._current()
        return given.certificate, given.key

    def refused(self) -> bool:
        """Drop rejected credentials, unless they are new; returns True, as a retry may help."""
        with self._lock:
            if self.now() - self._ran_at >= RETRY_SECONDS:
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
        """Run the plugin and return its output. Raises `InvalidDriverConfig`."""
        spec: dict[str, Any] = {"interactive": False} | ({} if self.cluster is None else {"cluster": self.cluster})
        info = {"apiVersion": self.version, "kind": "ExecCredential", "spec": spec}
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(EXCLUDED_PREFIX)}
        try:
            running = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                env={**inherited, **self.environment, INFO: json.dumps(info, separators=(",", ":"))},
            )  # fmt: skip
        except (OSError, ValueError) as error:
            hint = f" {printable(self.hint, 200)}" if self.hint else ""
            raise InvalidDriverConfig(f"{self.called} cannot be run: {self.argv[0]}: {error}.{hint}") from error
        with running:
            try:
                output, errors = self._read_output(running)
                code = running.wait(self.within_seconds)
            except BaseException as error:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(running.pid, signal.SIGKILL)
                if isinstance(error, subprocess.TimeoutExpired):
                    raise InvalidDriverConfig(f"{self.called} did not finish.") from error
                raise
        if code != 0:
            words = printable(" ".join(errors.decode("utf-8", "replace").split())[-300:], 300)
            raise InvalidDriverConfig(f"{self.called} exited with {code}: {words or 'no message'}")
        return output

    def _read_output(self, running: "subprocess.Popen[bytes]") -> tuple[bytes, bytes]:
        """Return the output and the end of stderr. Raises `InvalidDriverConfig`."""
        assert running.stdout is not None
        assert running.stderr is not None
        output, errors, until = bytearray(), bytearray(), time.monotonic() + self.within_seconds
        with selectors.DefaultSelector() as waiting:
            waiting.register(running.stdout, selectors.EVENT_READ, output)
            waiting.register(running.stderr, selectors.EVENT_READ, errors)
            while waiting.get_map():
                left = until - time.monotonic()
                if left <= 0:
                    raise InvalidDriverConfig(f"{self.called} took longer than the limit of {self.within_seconds:g} s.")
                for key, _ in waiting.select(left):
                    piece = os.read(key.fd, PIECE)
                    if not piece:
                        waiting.unregister(key.fileobj)
                    key.data.extend(piece)
                del errors[:-MAX_STDERR_BYTES]
                if len(output) > MAX_BYTES:
                    raise InvalidDriverConfig(f"{self.called} printed more than the limit of {MAX_BYTES:,} bytes.")
        return bytes(output), bytes(errors)

    # -- reading

    def _read(self, output: bytes) -> ExecCredential:
        """Parse the output. Raises `InvalidDriverConfig`."""
        try:
            document = json.loads(output)
        except (ValueError, RecursionError) as error:
            raise InvalidDriverConfig(f"{self.called} did not print JSON.") from error
        if (
            not isinstance(document, dict)
            or document.get("kind") != "ExecCredential"
            or document.get("apiVersion") != self.version
        ):
            raise InvalidDriverConfig(f"{self.called} did not print an ExecCredential of {self.version}.")
        status = document.get("status")
        status = status if isinstance(status, dict) else {}
        token, certificate, key = (
            self._text(status, name) for name in ("token", "clientCertificateData", "clientKeyData")
        )
        if (certificate is None) != (key is None) or (token is None and certificate is None):
            raise InvalidDriverConfig(f"{self.called} gave neither a token nor a certificate with its key.")
        if token is not None and not (token.isascii() and token.isprintable()):
            raise InvalidDriverConfig(f"{self.called} gave a token that is not valid in an HTTP header.")
        TlsTrust(certificate=certificate, key=key, named=self.called).context()
        return ExecCredential(token, certificate, key, self._until(status.get("expirationTimestamp")))

    def _text(self, status: Mapping[str, Any], name: str) -> str | None:
        found = status.get(name)
        if found is not None and not isinstance(found, str):
            raise InvalidDriverConfig(f"{self.called} gave a {name} that is not a string.")
        return found.strip() or None if found else None

    def _until(self, timestamp: object) -> float | None:
        if timestamp is None:
            return None
        try:
            moment = datetime.fromisoformat(str(timestamp))
        except ValueError as error:
            raise InvalidDriverConfig(f"{self.called} gave an invalid expirationTimestamp.") from error
        if moment.tzinfo is None:
            raise InvalidDriverConfig(f"{self.called} gave an expirationTimestamp without a time zone.")
        return moment.timestamp()
