"""A streaming replica of an embedded PostgreSQL."""

import shutil

from bootstrap_parts.machine_checks import give_to, unprivileged
from bootstrap_parts.postgres import Postgres
from bootstrap_parts.secret_file import Secrets


def copy_as_replica(primary: Postgres, replica: Postgres, secrets: Secrets, *, synchronous: bool = False) -> None:
    """Copy a cluster that does not run: a base backup without pg_basebackup, which the embedded package lacks.

    With `synchronous`, commits of the primary wait from then on until the replica has them.
    """
    shutil.copytree(primary.folder, replica.folder)
    replica.folder.chmod(0o700)
    (replica.folder / "standby.signal").touch()
    source = f"host=127.0.0.1 port={primary.port} user=postgres password={secrets.superuser_password}"
    with (replica.folder / "postgresql.auto.conf").open("a") as configuration:
        configuration.write(f"primary_conninfo = '{source}'\n")
    if synchronous:
        with (primary.folder / "postgresql.auto.conf").open("a") as configuration:
            configuration.write("synchronous_standby_names = '*'\n")
    give_to(unprivileged(), replica.folder)
