"""Change a checked-out commit as a variant requires: revert the culprit, or apply a patch, in the work tree only."""

from dataclasses import dataclass
from pathlib import Path

from slowpath.analysis.experiments.patch_files import validate_patch
from slowpath.analysis.experiments.variants import InvalidVariant, Variant
from slowpath_cli.local_bisect.local_repositories import InvalidRepository, LocalRepository


@dataclass(frozen=True)
class BuildChange:
    """A variant with what it needs: the culprit that it reverts, and the file of its patch."""

    variant: Variant
    culprit: str | None = None
    patch: Path | None = None


def apply_change(repository: LocalRepository, tree: Path, change: BuildChange) -> None:
    """Change the files of a clean work tree. Raises `InvalidRepository` if the revert conflicts or the patch does not apply."""
    if change.variant.reverts:
        if change.culprit is None:
            raise InvalidRepository("There is nothing to revert: the culprit is not known.")
        repository.revert(tree, change.culprit)
    if change.patch is not None:
        _check(change.patch)
        repository.apply_patch(tree, change.patch)


def _check(patch: Path) -> None:
    try:
        validate_patch(patch.read_bytes())
    except (InvalidVariant, OSError) as error:
        raise InvalidRepository(f"The patch cannot be applied: {error}") from error
