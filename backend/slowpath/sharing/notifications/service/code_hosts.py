"""GitHub and GitLab as receivers: the status of a commit, and one comment on a pull request."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import quote, urlsplit

from slowpath.core.errors import UpstreamUnavailable
from slowpath.core.ports import EgressConnection, HttpResponse
from slowpath.sharing.notifications.errors import PermanentDeliveryError, ReceiverGone
from slowpath.sharing.notifications.rules import MAX_ANSWER_BYTES, SEND_SECONDS

MOST_PAGES: Final = 10
COMMENTS_A_PAGE: Final = 100
LINK: Final = re.compile(r"https?://[\x21-\x7e]{1,2000}")
COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def check(answer: HttpResponse, who: str) -> None:
    """Raise `ReceiverGone` (410), `PermanentDeliveryError` (422) or `UpstreamUnavailable` (any other failure)."""
    if 200 <= answer.status < 300:
        return
    excerpt = " ".join(answer.content[:200].decode(errors="replace").split())
    detail = f"{who} answered {answer.status}" + (f": {excerpt}" if excerpt else ".")
    if answer.status == 410:
        raise ReceiverGone(detail, remedy="Create a channel with another address, or delete this one.")
    if answer.status == 422:
        raise PermanentDeliveryError(detail)
    raise UpstreamUnavailable(detail, slug="answered-with-an-error")


@dataclass(frozen=True)
class CreatedIssue:
    """An issue at a code host."""

    number: int
    url: str


class CodeHost(ABC):
    """One repository at a code host."""

    name: str

    def __init__(self, peer: EgressConnection, repository: str, token: str) -> None:
        """Access a repository with this token."""
        self._peer = peer
        self._repository = repository
        self._token = token

    def check_access(self) -> None:
        """Request the repository, which checks address, name and token. Raises as `check` does."""
        answer = self._peer.get(
            self._home_path(), [], self._headers(), max_bytes=8 * MAX_ANSWER_BYTES, seconds=SEND_SECONDS
        )
        self._read(answer)

    def set_status(self, commit: str, status: dict[str, Any]) -> None:
        """Set the status of a commit; repeating it changes nothing. `status` is the result of `wording.status`.

        Raises `PermanentDeliveryError` for an abbreviated SHA, and as `check` does.
        """
        if not COMMIT.fullmatch(commit):
            raise PermanentDeliveryError(
                f"{self.name} requires the full commit SHA.", remedy="Send all 40 digits from CI."
            )
        self._send("POST", self._status_path(commit), self._status(status))

    def find_comment(self, number: int, mark: str) -> str | None:
        """Return the ID of the comment of a pull request that contains a marker, among at most 1,000 comments."""
        return self._find_comment(self._comments_path(number), mark)

    def _find_comment(self, path: str, mark: str) -> str | None:
        for page in range(1, MOST_PAGES + 1):
            query = [("per_page", str(COMMENTS_A_PAGE)), ("page", str(page))]
            answer = self._peer.get(path, query, self._headers(), max_bytes=8 * MAX_ANSWER_BYTES, seconds=SEND_SECONDS)
            comments = self._read(answer)
            if not isinstance(comments, list):
                return None
            for one in comments:
                if isinstance(one, dict) and mark in str(one.get("body", "")):
                    return str(one.get("id"))
            if len(comments) < COMMENTS_A_PAGE:
                return None
        return None

    def write_comment(self, number: int, comment_id: str | None, text: str) -> str:
        """Create a comment or update it; returns its ID. A deleted comment is created again."""
        if comment_id is not None:
            answer = self._exchange(self._change_method, self._comment_path(number, comment_id), {"body": text})
            if answer.status not in {404, 410}:
                check(answer, self.name)
                return comment_id
        made = self._send("POST", self._comments_path(number), {"body": text})
        return str(made.get("id")) if isinstance(made, dict) else ""

    def create_issue(self, title: str, body: str) -> CreatedIssue:
        """Create an issue. Raises `PermanentDeliveryError` if the token may not, and as `check` does."""
        answer = self._exchange("POST", f"{self._home_path()}/issues", {"title": title, self._issue_text: body})
        if answer.status in {401, 403, 404}:
            raise PermanentDeliveryError(
                f"{self.name} answered {answer.status}: the token may not create issues in {self._repository}.",
                remedy="Create a channel whose token may write issues of the repository.",
            )
        if answer.status == 410:
            raise PermanentDeliveryError(
                f"Issues are turned off in {self._repository}.", remedy="Turn them on, or choose another repository."
            )
        return self._parse_issue(self._read(answer))

    def find_issue(self, mark: str) -> CreatedIssue | None:
        """Return the issue that contains a marker, among the newest 100."""
        query = [("state", "all"), ("per_page", str(COMMENTS_A_PAGE))]
        path = f"{self._home_path()}/issues"
        answer = self._peer.get(path, query, self._headers(), max_bytes=8 * MAX_ANSWER_BYTES, seconds=SEND_SECONDS)
        found = self._read(answer)
        for each in found if isinstance(found, list) else ():
            if isinstance(each, dict) and mark in str(each.get(self._issue_text) or ""):
                return self._parse_issue(each)
        return None

    def close_issue(self, number: int, mark: str, text: str) -> str:
        """Comment on an issue once, and close it; returns the ID of the comment.

        Raises `PermanentDeliveryError` if the issue is gone or the token may not close it, and as `check` does.
        """
        path = f"{self._home_path()}/issues/{number}"
        comments = f"{path}/{self._issue_comments}"
        found = self._peer.get(path, [], self._headers(), max_bytes=8 * MAX_ANSWER_BYTES, seconds=SEND_SECONDS)
        self._read_permitted(found)
        comment_id = self._find_comment(comments, mark)
        if comment_id is None:
            made = self._read_permitted(self._exchange("POST", comments, {"body": text}))
            comment_id = str(made.get("id")) if isinstance(made, dict) else ""
        self._read_permitted(self._exchange(self._change_method, path, self._issue_end))
        return comment_id

    def _read_permitted(self, answer: HttpResponse) -> Any:  # noqa: ANN401 - whatever was answered
        if answer.status in {401, 403, 404, 410}:
            raise PermanentDeliveryError(
                f"{self.name} answered {answer.status}: the issue is gone, or the token may not change it.",
                remedy="Close the issue by hand, or create a channel whose token may write issues of the repository.",
            )
        return self._read(answer)

    def _parse_issue(self, answer: object) -> CreatedIssue:
        found = answer if isinstance(answer, dict) else {}
        number, url = found.get(self._issue_number), found.get(self._issue_url)
        is_link = isinstance(url, str) and LINK.fullmatch(url) is not None and bool(urlsplit(url).hostname)
        if not isinstance(number, int) or not is_link:
            raise UpstreamUnavailable(f"{self.name} did not return the issue.", slug="answer-no-json")
        return CreatedIssue(number, str(url))

    _change_method: Literal["PATCH", "PUT"]
    _issue_text: str
    _issue_number: str
    _issue_url: str
    _issue_comments: str
    _issue_end: Mapping[str, str]

    @abstractmethod
    def _headers(self) -> dict[str, str]: ...

    @abstractmethod
    def _home_path(self) -> str: ...

    @abstractmethod
    def _status_path(self, commit: str) -> str: ...

    @abstractmethod
    def _status(self, status: dict[str, Any]) -> dict[str, Any]: ...

    @abstractmethod
    def _comments_path(self, number: int) -> str: ...

    @abstractmethod
    def _comment_path(self, number: int, comment_id: str) -> str: ...

    def _exchange(self, method: Literal["POST", "PUT", "PATCH"], path: str, content: Mapping[str, Any]) -> HttpResponse:
        body = json.dumps(dict(content)).encode()
        return self._peer.send(method, path, body, self._headers(), max_bytes=MAX_ANSWER_BYTES, seconds=SEND_SECONDS)

    def _send(self, method: Literal["POST", "PUT", "PATCH"], path: str, content: dict[str, Any]) -> Any:  # noqa: ANN401 - whatever was answered
        return self._read(self._exchange(method, path, content))

    def _read(self, answer: HttpResponse) -> Any:  # noqa: ANN401 - whatever was answered
        check(answer, self.name)
        try:
            return json.loads(answer.content)
        except ValueError as error:
            raise UpstreamUnavailable(f"{self.name} did not return JSON.", slug="answer-no-json") from error


class GitHubStatuses(CodeHost):
    """GitHub's REST API, version 2022-11-28."""

    name = "GitHub"
    _change_method = "PATCH"
    _issue_text, _issue_number, _issue_url = "body", "number", "html_url"
    _issue_comments, _issue_end = "comments", {"state": "closed"}

    def _headers(self) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self._token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }

    def _home_path(self) -> str:
        return f"/repos/{self._repository}"

    def _status_path(self, commit: str) -> str:
        return f"/repos/{self._repository}/statuses/{commit}"

    def _status(self, status: dict[str, Any]) -> dict[str, Any]:
        return status

    def _comments_path(self, number: int) -> str:
        return f"/repos/{self._repository}/issues/{number}/comments"

    def _comment_path(self, number: int, comment_id: str) -> str:  # noqa: ARG002 - GitLab's needs it
        return f"/repos/{self._repository}/issues/comments/{quote(comment_id, safe='')}"


class GitLabStatuses(CodeHost):
    """GitLab's REST API, version 4."""

    name = "GitLab"
    _change_method = "PUT"
    _issue_text, _issue_number, _issue_url = "description", "iid", "web_url"
    _issue_comments, _issue_end = "notes", {"state_event": "close"}

    def _home_path(self) -> str:
        return f"/projects/{quote(self._repository, safe='')}"

    def _headers(self) -> dict[str, str]:
        return {"PRIVATE-TOKEN": self._token}

    def _status_path(self, commit: str) -> str:
        return f"{self._home_path()}/statuses/{commit}"

    def _status(self, status: dict[str, Any]) -> dict[str, Any]:
        state = "failed" if status["state"] == "failure" else status["state"]
        return {"state": state, "name": status["context"], **{k: status[k] for k in ("description", "target_url")}}

    def _comments_path(self, number: int) -> str:
        return f"{self._home_path()}/merge_requests/{number}/notes"

    def _comment_path(self, number: int, comment_id: str) -> str:
        return f"{self._comments_path(number)}/{quote(comment_id, safe='')}"
