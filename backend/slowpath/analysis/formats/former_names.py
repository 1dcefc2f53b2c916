"""Names that members and values of stored documents had in former versions, and their present names."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class FormerNames:
    """Present names by former name: of members, at any depth, and of values by the present name of their member."""

    names: Mapping[str, str]
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def rename(self, members: Mapping[str, object]) -> dict[str, object]:
        """Return the members of a JSON object under their present names."""
        renamed: dict[str, object] = {}
        for name, value in members.items():
            present = self.names.get(name, name)
            values = self.values.get(present, {})
            renamed[present] = values.get(value, value) if isinstance(value, str) else self._rename_inside(value)
        return renamed

    def _rename_inside(self, value: object) -> object:
        if isinstance(value, list):
            return [self._rename_inside(each) for each in value]
        return self.rename(value) if isinstance(value, dict) else value
