"""`npm run demo:builds`: 200 builds of a small service through the webhook, and 200 more in which nothing happens.

A git repository is written, its commits are pushed as GitHub tells of them, CI uploads profiles drawn at random from the
example's captures. At three commits something is different: a cost moves from one function to another, one commit costs
15 % more, the machines are others. In the end exactly one regression is known, its range holds the commit, the commit is the
likeliest, every build has one status, one pull request one comment, Slack one message, and a report of it opens signed out;
and of 200 builds of one variant nobody has heard anything. The last line of the output is one JSON object:
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
from support.demo_repository import History, Plan, Step, story
from support.demo_user import DemoFailed, sign_up
from support.receiver_doubles import ReceivedRequests, ReceiverDoubles, receiving

BUILDS = 200
ROOT = Path(__file__).resolve().parents[2]
INSIDE = "SLOWPATH_DEMO_MAIL_PORT"
PROCESSES = "4"
"""Much of the work waits: for git, for the decoder, for those who are told."""
QUIET_SECONDS = 60.0
STATUS_SECONDS = 20.0
"""So long nothing new may come before what has come is all."""
MOST_FUNCTIONS = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the story; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _options(given)
    url = os.environ.get("SLOWPATH_URL")
    if url is None or INSIDE not in os.environ:
        return _beside_a_stack(given)
    try:
        told, wrong = play(url, options)
    except DemoFailed as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    for each in wrong:
        print(f"demo: {each}", file=sys.stderr)
    print(json.dumps(told) if options.json else "\n".join(f"{name}: {value}" for name, value in told.items()))
    return 1 if wrong else 0


def _beside_a_stack(arguments: Sequence[str]) -> int:
    """Play beside a stack whose operator lists loopback, a folder of repositories, and a mail server."""
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
    """The whole story; returns what the last line says, and what is wrong with it."""
    began = time.monotonic()
    folder = Path(os.environ["SLOWPATH_LOCAL_REPOSITORIES"])
    with receiving(int(os.environ[INSIDE])) as receivers:
        changed = _played(url, story(options.builds), folder / "changed", options.seed, receivers)
        told, wrong = _looked_at(changed, receivers)
        wrong += [] if options.no_page else _reported(changed.team)
        _tell(f"the story took {time.monotonic() - began:.0f} s")
    with receiving(int(os.environ[INSIDE])) as receivers:
        same = _played(url, Plan(options.aa_builds), folder / "same", options.seed + 1, receivers)
        found = _regressions(same.team)
        statuses_of(receivers, len(same.steps))
        told |= {
            "aa_builds": len(same.steps),
            "aa_regressions": len(found),
            "aa_comments": len(receivers.heard.comments) + len(receivers.heard.slack),
        }
        wrong += [f"nothing happened, and yet: {each['title']} ({each['sentence']})" for each in found]
        wrong += ["somebody was told of nothing"] * bool(told["aa_comments"])
    _tell(f"all of it took {time.monotonic() - began:.0f} s")
    return told, wrong


class DemoOutcome:
    """A history whose builds were all judged."""

    def __init__(self, team: Team, steps: Sequence[Step], plan: Plan) -> None:
        """Keep them."""
        self.team, self.steps, self.plan = team, steps, plan


def _played(url: str, plan: Plan, folder: Path, seed: int, receivers: ReceiverDoubles) -> DemoOutcome:
    """Write a history, and send all its builds."""
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)  # noqa: TID251 - commits are of these days
    history = History(folder, plan, seed, hour)
    history.push(history.steps[0])
    team = set_up(sign_up(url), history.host, receivers)
    ci = Ci(team, random.Random(seed))  # noqa: S311 - the same seed draws the same profiles; no secret
    began = time.monotonic()
    for step in history.steps:
        ci.send(step, history.push)
        if step.number % 20 == 19:
            _tell(f"  build {step.number + 1} of {plan.builds} after {time.monotonic() - began:.0f} s")
    ci.finish()
    rate = plan.builds / (time.monotonic() - began) * 60
    half, most = quantile(team.watched, 0.5), quantile(team.watched, 0.95)
    _tell(
        f"{plan.builds} builds, {rate:.0f} a minute; judged {half:.1f} s after CI's last word, 95 % within {most:.1f} s"
    )
    return DemoOutcome(team, history.steps, plan)


def _looked_at(played: DemoOutcome, receivers: ReceiverDoubles) -> tuple[dict[str, Any], list[str]]:
    """What became of the story, and what is wrong with it."""
    found = _regressions(played.team)
    heard = statuses_of(receivers, len(played.steps))
    _wait_until(lambda: bool(heard.slack and heard.comments and heard.mails))
    wrong = [f"what the vendor refuses: {each}" for each in heard.complaints]
    slower = played.steps[played.plan.slower or 0]
    places = {step.built.sha: step.number for step in played.steps}
    commit_range, culprit = None, None
    for each in found:
        _tell(f"regression {each['number']}: {each['title']}: {each['sentence']} [{each['state']}]")
    if len(found) != 1:
        wrong.append(f"there are {len(found)} regressions, not one")
    for one in found[:1]:
        first, last = one["range"]["first_commit"], one["range"]["last_commit"]
        commit_range = [first, last]
        if not places[first] <= slower.number <= places[last]:
            wrong.append(f"the range is builds {places[first]} to {places[last]}, and it was {slower.number}")
        culprit = _culprit(played.team, one)
        if culprit != slower.built.sha:
            wrong.append(f"the likeliest commit is {culprit}, and it was {slower.built.sha}")
    wrong += _told_wrongly(heard, played.steps, pull_request_of(slower))
    told = {
        "regressions": len(found),
        "commit_range": commit_range,
        "culprit": culprit,
        "statuses": len(heard.statuses),
        "comments": len(heard.comments),
        "messages": len(heard.slack),
    }
    return told, wrong


def _reported(team: Team) -> list[str]:
    """Freeze the regression's page into a report, share that, and open it signed out; returns what is wrong with it."""
    person = team.person
    for one in _regressions(team)[:1]:
        path = f"/t/{person.team_slug}/regressions/{one['id']}"
        try:
            seen = in_browser(person, "builds.spec.ts", {"DEMO_PATH": path, "DEMO_TEAM": person.team_slug})
        except (DemoFailed, subprocess.TimeoutExpired) as error:
            return [f"the report: {error}"]
        _tell(f"a report shows it signed out: {seen['title']}" if seen else "no browser here: no report was looked at")
    return []


def _told_wrongly(heard: ReceivedRequests, steps: Sequence[Step], pull_request: int) -> list[str]:
    """What somebody was told too often, too seldom, or at the wrong place."""
    wrong = []
    if {sha for sha, _ in heard.statuses} != {step.built.sha for step in steps} or len(heard.statuses) != len(steps):
        wrong.append(f"{len(heard.statuses)} statuses for {len(steps)} builds")
    failed = [sha for (sha, _), said in heard.statuses.items() if said[-1].state == "failure"]
    if len(failed) != 1:
        wrong.append(f"{len(failed)} builds are marked as failed")
    if [pull for pull, _ in heard.comments.values()] != [pull_request]:
        wrong.append(f"comments are on {[pull for pull, _ in heard.comments.values()]}, not on [{pull_request}]")
    if len(heard.slack) != 1 or len(heard.mails) != 1:
        wrong.append(f"{len(heard.slack)} messages in Slack and {len(heard.mails)} e-mails, not one each")
    opened = [each for each in heard.webhooks.values() if each.type == "regression.opened"]
    if len(opened) != 1:
        wrong.append(f"{len(opened)} webhooks of a regression, not one")
    return wrong


def statuses_of(receivers: ReceiverDoubles, builds: int) -> ReceivedRequests:
    """Wait until every build has its status, as long as more may come; returns all that was heard."""
    heard, known = receivers.heard, -1
    while known < len(heard.statuses) < builds:
        known = len(heard.statuses)
        _wait_until(lambda: len(heard.statuses) >= builds, STATUS_SECONDS)
    return heard


def _wait_until(is_so: Callable[[], bool], seconds: float = QUIET_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.25)


def _regressions(team: Team) -> list[dict[str, Any]]:
    page = team.person.call("GET", "/regressions", params={"limit": 50})
    return [each for each in page["items"] if each["confirmed"]]


def _culprit(team: Team, one: dict[str, Any]) -> str | None:
    """The commit that is suspected most, once it is known which commits change the program."""
    members = [{"kind": one["kind"], "subject": one["subject"]}, *one["members"]]
    functions = list(dict.fromkeys(each["subject"] for each in members if each["kind"] == "profile.function"))
    asked = {"good": one["good"]["commit"], "bad": one["since"]["commit"], "function": functions[:MOST_FUNCTIONS]}
    path = f"/services/{team.service_id}/commits"
    _wait_until(lambda: team.person.call("GET", path, params=asked)["closure_state"] == "known")
    between = team.person.call("GET", path, params=asked)
    suspects = sorted(between["commits"], key=lambda each: -each["suspicion"]["share"])
    return str(suspects[0]["sha"]) if suspects else None


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="npm run demo:builds --", description="200 builds, one of which is slower.")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    parser.add_argument("--seed", type=int, default=1, help="draws commits and profiles (default 1)")
    parser.add_argument("--builds", type=int, default=BUILDS, help=f"builds of the story (default {BUILDS})")
    parser.add_argument("--aa-builds", type=int, default=BUILDS, help=f"builds of the rest (default {BUILDS})")
    parser.add_argument("--no-page", action="store_true", help="do not make a report in a browser")
    options = parser.parse_args(arguments)
    if options.builds < 1 or options.aa_builds < 1:
        parser.error("each history has one build at least")
    return options


if __name__ == "__main__":
    sys.exit(main())
