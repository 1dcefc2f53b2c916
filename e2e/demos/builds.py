"""`npm run demo:builds`: 200 builds of a small service through the webhook, and 200 more without a change.

The demo generates a git repository and pushes its commits with GitHub's webhooks; CI uploads profiles sampled from the
example's captures. Three commits differ: one shifts a cost to another function, one costs 15% more, one changes the
machines. Expected result: exactly one regression, whose range includes the commit; the commit is the top suspect; every
build has one status, one pull request one comment, Slack one message; a report opens without a session; and the 200 builds
of one variant cause no notification. The last line of the output is one JSON object:
`{"regressions", "commit_range", "culprit", "statuses", "comments", "messages", "aa_builds", "aa_regressions", "aa_comments"}`.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from demos.browser import in_browser
from demos.example_pipeline import free_ports
from support.ci_double import Ci, Team, pull_request_of, quantile, set_up
from support.demo_repository import History, Plan, Step, demo_plan
from support.demo_user import DemoFailed, sign_up
from support.receiver_doubles import ReceivedRequests, ReceiverDoubles, receiving

BUILDS = 200
ROOT = Path(__file__).resolve().parents[2]
INSIDE = "SLOWPATH_DEMO_MAIL_PORT"
PROCESSES = "4"
"""More than the cores: the jobs wait for git, the decoder and receivers."""
QUIET_SECONDS = 60.0
STATUS_SECONDS = 20.0
"""Time without a new status after which the statuses are complete."""
MAX_FUNCTIONS = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _options(given)
    url = os.environ.get("SLOWPATH_URL")
    if url is None or INSIDE not in os.environ:
        return _run_on_stack(given)
    try:
        result, wrong = play(url, options)
    except DemoFailed as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    for each in wrong:
        print(f"demo: {each}", file=sys.stderr)
    print(json.dumps(result) if options.json else "\n".join(f"{name}: {value}" for name, value in result.items()))
    return 1 if wrong else 0


def _run_on_stack(arguments: Sequence[str]) -> int:
    """Run the demo on a stack that allows loopback, a folder of repositories, and a mail server."""
    (mail_port,) = free_ports(1)
    with tempfile.TemporaryDirectory(prefix="slowpath-demo-") as folder:
        environment = {
            **os.environ,
            INSIDE: str(mail_port),
            "SLOWPATH_EGRESS_ALLOWLIST": "127.0.0.0/8",
            "SLOWPATH_LOCAL_REPOSITORIES": folder,
            "SLOWPATH_SMTP_URL": f"smtp://127.0.0.1:{mail_port}",
            "SLOWPATH_MAIL_FROM": "Slowpath <slowpath@shop.example>",
            "SLOWPATH_WORKER_PROCESSES": PROCESSES,
        }
        command = [sys.executable, str(ROOT / "backend" / "bootstrap.py"), "stack", "--"]
        command += [sys.executable, "-m", "demos.builds", *arguments]
        return subprocess.run(command, env=environment, check=False).returncode


def play(url: str, options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the whole demo; return its result, and the errors in it."""
    began = time.monotonic()
    folder = Path(os.environ["SLOWPATH_LOCAL_REPOSITORIES"])
    with receiving(int(os.environ[INSIDE])) as receivers:
        changed = _send_history(url, demo_plan(options.builds), folder / "changed", options.seed, receivers)
        result, wrong = _check_outcome(changed, receivers)
        wrong += [] if options.no_page else _check_report(changed.team)
        _print(f"the builds with changes took {time.monotonic() - began:.0f} s")
    with receiving(int(os.environ[INSIDE])) as receivers:
        same = _send_history(url, Plan(options.aa_builds), folder / "same", options.seed + 1, receivers)
        found = _regressions(same.team)
        statuses_of(receivers, len(same.steps))
        result |= {
            "aa_builds": len(same.steps),
            "aa_regressions": len(found),
            "aa_comments": len(receivers.received.comments) + len(receivers.received.slack),
        }
        wrong += [f"false regression: {each['title']} ({each['sentence']})" for each in found]
        wrong += ["false notifications"] * bool(result["aa_comments"])
    _print(f"the demo took {time.monotonic() - began:.0f} s")
    return result, wrong


class DemoOutcome:
    """A history whose builds all have verdicts."""

    def __init__(self, team: Team, steps: Sequence[Step], plan: Plan) -> None:
        """Set team, steps and plan."""
        self.team, self.steps, self.plan = team, steps, plan


def _send_history(url: str, plan: Plan, folder: Path, seed: int, receivers: ReceiverDoubles) -> DemoOutcome:
    """Generate a history and send all its builds."""
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)  # noqa: TID251 - the commits end now
    history = History(folder, plan, seed, hour)
    history.push(history.steps[0])
    team = set_up(sign_up(url), history.host, receivers)
    ci = Ci(team, random.Random(seed))  # noqa: S311 - reproducible; no secret
    began = time.monotonic()
    for step in history.steps:
        ci.send(step, history.push)
        if step.number % 20 == 19:
            _print(f"  build {step.number + 1} of {plan.builds} after {time.monotonic() - began:.0f} s")
    ci.finish()
    rate = plan.builds / (time.monotonic() - began) * 60
    median, p95 = quantile(team.watched, 0.5), quantile(team.watched, 0.95)
    _print(
        f"{plan.builds} builds, {rate:.0f} per minute; verdict {median:.1f} s after the end of CI (median), 95% within {p95:.1f} s"
    )
    return DemoOutcome(team, history.steps, plan)


def _check_outcome(played: DemoOutcome, receivers: ReceiverDoubles) -> tuple[dict[str, Any], list[str]]:
    """Return the result of a history with changes, and the errors in it."""
    found = _regressions(played.team)
    received = statuses_of(receivers, len(played.steps))
    _wait_until(lambda: bool(received.slack and received.comments and received.mails))
    wrong = [f"invalid request to a vendor: {each}" for each in received.complaints]
    slower = played.steps[played.plan.slower or 0]
    places = {step.built.sha: step.number for step in played.steps}
    commit_range, culprit = None, None
    for each in found:
        _print(f"regression {each['number']}: {each['title']}: {each['sentence']} [{each['state']}]")
    if len(found) != 1:
        wrong.append(f"{len(found)} regressions, expected 1")
    for one in found[:1]:
        first, last = one["range"]["first_commit"], one["range"]["last_commit"]
        commit_range = [first, last]
        if not places[first] <= slower.number <= places[last]:
            wrong.append(
                f"the range is builds {places[first]} to {places[last]}, but the regression is build {slower.number}"
            )
        culprit = _culprit(played.team, one)
        if culprit != slower.built.sha:
            wrong.append(f"the top suspect is {culprit}, but the culprit is {slower.built.sha}")
    wrong += _check_notifications(received, played.steps, pull_request_of(slower))
    result = {
        "regressions": len(found),
        "commit_range": commit_range,
        "culprit": culprit,
        "statuses": len(received.statuses),
        "comments": len(received.comments),
        "messages": len(received.slack),
    }
    return result, wrong


def _check_report(team: Team) -> list[str]:
    """Add a snapshot of the regression's page to a report, share it, and open it without a session; return the errors."""
    person = team.person
    for one in _regressions(team)[:1]:
        path = f"/t/{person.team_slug}/regressions/{one['id']}"
        try:
            seen = in_browser(person, "builds.spec.ts", {"DEMO_PATH": path, "DEMO_TEAM": person.team_slug})
        except (DemoFailed, subprocess.TimeoutExpired) as error:
            return [f"the report: {error}"]
        _print(f"a report opens without a session: {seen['title']}" if seen else "no browser: skipped the report")
    return []


def _check_notifications(received: ReceivedRequests, steps: Sequence[Step], pull_request: int) -> list[str]:
    """Return the missing, repeated and misdirected notifications."""
    wrong = []
    if {sha for sha, _ in received.statuses} != {step.built.sha for step in steps} or len(received.statuses) != len(
        steps
    ):
        wrong.append(f"{len(received.statuses)} statuses for {len(steps)} builds")
    failed = [sha for (sha, _), statuses in received.statuses.items() if statuses[-1].state == "failure"]
    if len(failed) != 1:
        wrong.append(f"{len(failed)} builds are marked as failed")
    if [pull for pull, _ in received.comments.values()] != [pull_request]:
        wrong.append(
            f"comments on pull requests {[pull for pull, _ in received.comments.values()]}, expected [{pull_request}]"
        )
    if len(received.slack) != 1 or len(received.mails) != 1:
        wrong.append(f"{len(received.slack)} messages in Slack and {len(received.mails)} e-mails, expected 1 each")
    opened = [each for each in received.webhooks.values() if each.type == "regression.opened"]
    if len(opened) != 1:
        wrong.append(f"{len(opened)} webhooks of a regression, expected 1")
    return wrong


def statuses_of(receivers: ReceiverDoubles, builds: int) -> ReceivedRequests:
    """Wait until every build has a status or no more arrive; return all received requests."""
    received, previous_count = receivers.received, -1
    while previous_count < len(received.statuses) < builds:
        previous_count = len(received.statuses)
        _wait_until(lambda: len(received.statuses) >= builds, STATUS_SECONDS)
    return received


def _wait_until(is_so: Callable[[], bool], seconds: float = QUIET_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.25)


def _regressions(team: Team) -> list[dict[str, Any]]:
    page = team.person.call("GET", "/regressions", params={"limit": 50})
    return [each for each in page["items"] if each["is_confirmed"]]


def _culprit(team: Team, one: dict[str, Any]) -> str | None:
    """Return the top suspect, after the package closures of the commits are computed."""
    members = [{"kind": one["kind"], "subject": one["subject"]}, *one["related_series"]]
    functions = list(dict.fromkeys(each["subject"] for each in members if each["kind"] == "profile.function"))
    params = {
        "good": one["good"]["commit"],
        "bad": one["first_bad_build"]["commit"],
        "function": functions[:MAX_FUNCTIONS],
    }
    path = f"/services/{team.service_id}/commits"
    _wait_until(lambda: team.person.call("GET", path, params=params)["closure_state"] == "known")
    between = team.person.call("GET", path, params=params)
    suspects = sorted(between["commits"], key=lambda each: -each["suspicion"]["probability"])
    return str(suspects[0]["sha"]) if suspects else None


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="npm run demo:builds --", description="Send 200 builds, of which one is slower."
    )
    parser.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    parser.add_argument("--seed", type=int, default=1, help="seed of commits and profiles (default: 1)")
    parser.add_argument("--builds", type=int, default=BUILDS, help=f"builds with changes (default: {BUILDS})")
    parser.add_argument("--aa-builds", type=int, default=BUILDS, help=f"builds without a change (default: {BUILDS})")
    parser.add_argument("--no-page", action="store_true", help="skip the report in a browser")
    options = parser.parse_args(arguments)
    if options.builds < 1 or options.aa_builds < 1:
        parser.error("--builds and --aa-builds must be at least 1")
    return options


if __name__ == "__main__":
    sys.exit(main())
