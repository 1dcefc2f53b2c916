"""Takes out of the vendors' published descriptions what the drivers use, as JSON Schema: the files beside this one.

Run by hand: `extract.py github FILE`, `extract.py kubernetes FILE...`; README.md says which files of which packages. Texts for people are left out, `nullable` and the extensions
of Kubernetes are written as JSON Schema; nothing else changes.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

Json = dict[str, Any]
HERE: Final = Path(__file__).parent
GITHUB: Final = {
    "/repos/{owner}/{repo}/actions/workflows/{workflow_id}": ["get"],
    "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches": ["post"],
    "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs": ["get"],
    "/repos/{owner}/{repo}/actions/runs/{run_id}": ["get"],
    "/repos/{owner}/{repo}/actions/runs/{run_id}/cancel": ["post"],
    "/repos/{owner}/{repo}/actions/runs/{run_id}/force-cancel": ["post"],
}
KUBERNETES: Final = {
    "/apis/apps/v1/namespaces/{namespace}/deployments": ["get"],
    "/apis/apps/v1/namespaces/{namespace}/deployments/{name}": ["get", "patch", "delete"],
    "/api/v1/namespaces/{namespace}/pods": ["get"],
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": ["post"],
}
EXAMPLES: Final = ("workflow", "workflow-run", "workflow-run-paginated", "workflow-dispatch-response")
NOT_ASKED: Final = {
    "description",
    "summary",
    "example",
    "examples",
    "externalDocs",
    "tags",
    "title",
    "x-github",
    "x-octokit",
}
NAMES: Final = {"properties", "paths", "schemas", "parameters", "responses", "patternProperties"}
"""What holds names of others: there nothing is left out by its name."""


def main(words: list[str]) -> None:
    """Write one of the files."""
    kind, *files = words
    if kind == "github":
        document = json.loads(Path(files[0]).read_text(encoding="utf-8"))
        chosen_schemas = chosen([document], GITHUB)
        chosen_schemas["examples"] = {name: document["components"]["examples"][name]["value"] for name in EXAMPLES}
    else:
        chosen_schemas = chosen([json.loads(Path(file).read_text(encoding="utf-8")) for file in files], KUBERNETES)
    (HERE / f"{kind}.json").write_text(
        json.dumps(chosen_schemas, separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8"
    )


def chosen(documents: list[Json], expected: Mapping[str, list[str]]) -> Json:
    """Return the listed operations of these descriptions, and all that they name."""
    paths: Json = {}
    components: Json = {}
    for document in documents:
        for path, verbs in expected.items():
            if path in document["paths"]:
                found = document["paths"][path]
                stored = {verb: found[verb] for verb in verbs} | {k: v for k, v in found.items() if k == "parameters"}
                paths[path] = stored
                gather(document, stored, components)
    assert set(paths) == set(expected), set(expected) - set(paths)
    return {"components": plain(components), "paths": plain(paths)}


def gather(document: Json, node: object, into: Json) -> None:
    """Add to `into` every component that `node` names, and what those name."""
    for ref in refs(node):
        _, _, family, name = ref.split("/", 3)
        if name not in into.setdefault(family, {}):
            into[family][name] = document["components"][family][name]
            gather(document, into[family][name], into)


def refs(node: object) -> Iterator[str]:
    """Every `$ref` in there, but for those of examples."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref" and isinstance(value, str):
                yield value
            elif key not in {"examples", "example"}:
                yield from refs(value)
    elif isinstance(node, list):
        for each in node:
            yield from refs(each)


def plain(node: Any, *, names: bool = False) -> Any:  # noqa: ANN401 - JSON of any shape
    """Return it without texts for people, in words of JSON Schema."""
    if isinstance(node, list):
        return [plain(each) for each in node]
    if not isinstance(node, dict):
        return node
    by_name = {
        key: plain(value, names=key in NAMES and not names and not isinstance(value, list))
        for key, value in node.items()
        if names or key not in NOT_ASKED
    }
    if names:
        return by_name
    if by_name.pop("nullable", False):
        return {"anyOf": [by_name, {"type": "null"}]}
    if by_name.pop("x-kubernetes-int-or-string", False):
        return {"type": ["integer", "string"]}
    if by_name.pop("x-kubernetes-preserve-unknown-fields", False):
        by_name["additionalProperties"] = True
    return {
        key: value
        for key, value in by_name.items()
        if not key.startswith("x-") and not (key == "default" and value == {})
    }


if __name__ == "__main__":
    main(sys.argv[1:])
