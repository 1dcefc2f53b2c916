"""What a vendor published about its interface, held against what we send and against what our doubles answer.

Strictly: what a schema does not name is a fault, as the API server finds it with fieldValidation=Strict.
"""

import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

import jsonschema_rs

from tests.collect.pprof_servers import Asked, Handler, Reply

Json = dict[str, Any]
TESTDATA: Final = Path(__file__).parent / "testdata"
VALIDATORS: Final[dict[str, jsonschema_rs.Validator]] = {}
STATUS: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.Status"


@dataclass
class Published:
    """The operations that a vendor published; `faults` are what did not keep to them."""

    documents: list[Json]
    faults: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, *names: str) -> "Published":
        return cls([_document(name) for name in names])

    def checked(self, handler: Handler) -> Handler:
        """Return a handler that answers as this one and notes every fault of question and answer."""

        def checking(asked: Asked) -> Reply:
            self.faults += self.of_request(asked)
            reply = handler(asked)
            self.faults += self.of_reply(asked, reply)
            return reply

        return checking

    def of_request(self, asked: Asked) -> list[str]:
        """Return what is wrong with a request."""
        path, _, query = asked.path.partition("?")
        found = self._operation(asked.method, path)
        if found is None:
            return [f"{asked.method} {path} is not published"]
        document, operation, shared = found
        return [
            *self._of_query(document, [*shared, *operation.get("parameters", [])], query),
            *self._of_body(document, operation, asked),
        ]

    def of_reply(self, asked: Asked, reply: Reply) -> list[str]:
        """Return what is wrong with an answer."""
        found = self._operation(asked.method, urlsplit(asked.path).path)
        if found is None or reply.cut or not isinstance(reply.body, bytes):
            return []
        document, operation, _ = found
        published = _resolved(document, operation["responses"].get(str(reply.status), {}))
        response = published.get("content", {}).get("application/json", {}).get("schema")
        if response is None and STATUS in document["components"]["schemas"] and reply.status >= 400:
            response = {"$ref": f"#/components/schemas/{STATUS}"}
        if response is not None:
            return self._against(
                document, response, json.loads(reply.body), f"answer {reply.status} to {asked.method} {asked.path}"
            )
        if reply.status < 300 and (reply.body or str(reply.status) not in operation["responses"]):
            return [f"{asked.method} {asked.path} answers {reply.status}, which is not published so"]
        return []

    def _operation(self, method: str, path: str) -> tuple[Json, Json, list[Json]] | None:
        for document in self.documents:
            for template, verbs in document["paths"].items():
                if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", template), path) and method.lower() in verbs:
                    return document, verbs[method.lower()], verbs.get("parameters", [])
        return None

    def _of_query(self, document: Json, parameters: list[Json], query: str) -> list[str]:
        known = {
            each["name"]: each for each in (_resolved(document, one) for one in parameters) if each["in"] == "query"
        }
        faults = []
        for name, values in parse_qs(query, keep_blank_values=True).items():
            if name not in known or len(values) != 1:
                faults.append(f"the query has {name}={values}")
                continue
            schema = known[name]["schema"]
            value = json.loads(values[0]) if schema.get("type") in {"boolean", "integer"} else unquote(values[0])
            faults += self._against(
                document, {k: v for k, v in schema.items() if k != "uniqueItems"}, value, f"query {name}"
            )
        return faults

    def _of_body(self, document: Json, operation: Json, asked: Asked) -> list[str]:
        content = operation.get("requestBody", {}).get("content", {})
        kind = asked.headers.get("content-type", "")
        if not asked.body:
            return ["the body is missing"] if operation.get("requestBody", {}).get("required") else []
        response = content.get(kind, content.get("*/*"))
        if response is None:
            return [f"{asked.method} {asked.path} takes {list(content)}, not {kind}"]
        schema = response["schema"]
        if kind.startswith("application/apply-patch"):  # "a patch" is any object; what is applied is the thing itself
            schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
        return self._against(document, schema, json.loads(asked.body), f"body of {asked.method} {asked.path}")

    def _against(self, document: Json, schema: Json, value: object, where: str) -> list[str]:
        key = f"{id(document)} {json.dumps(schema, sort_keys=True)}"  # documents are cached: an id belongs to one
        if key not in VALIDATORS:
            VALIDATORS[key] = jsonschema_rs.Draft202012Validator({**schema, "components": document["components"]})
        return [
            f"{where}: {'.'.join(map(str, error.instance_path))}: {error.message[:500]}"
            for error in VALIDATORS[key].iter_errors(value)
        ]


@cache
def _document(name: str) -> Json:
    read: Json = _strict(json.loads((TESTDATA / f"{name}.json").read_text(encoding="utf-8")))
    return read


@cache
def examples(name: str) -> dict[str, Any]:
    """Return the examples that a vendor published."""
    found: dict[str, Any] = json.loads((TESTDATA / f"{name}.json").read_text(encoding="utf-8"))["examples"]
    return found


def _resolved(document: Json, one: Json) -> Json:
    if "$ref" not in one:
        return one
    _, _, family, name = one["$ref"].split("/", 3)
    found: Json = document["components"][family][name]
    return found


def _strict(node: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    if isinstance(node, list):
        return [_strict(each) for each in node]
    if not isinstance(node, dict):
        return node
    by_name = {key: _strict(value) for key, value in node.items()}
    if (
        isinstance(by_name.get("properties"), dict)
        and "additionalProperties" not in by_name
        and by_name.get("type") == "object"
    ):
        by_name["additionalProperties"] = False
    return by_name
