"""Sentences about budgets: values in, text out."""

from slowpath.analysis.findings.certainty import INCONCLUSIVE, SIGNIFICANT
from slowpath.analysis.findings.wording import format_seconds
from slowpath.commit_names import short_commit
from slowpath.verdicts.budgets.rules import CPU, BudgetState, Interval, Limit


def name_signal(signal: str) -> str:
    """Return how a signal is named in a sentence."""
    return "CPU per request" if signal == CPU else signal


def format_increase(share: float) -> str:
    """Format an increase: +5%, -2.5%."""
    return f"{share * 100:+.3g}%"


def format_limit(limit: Limit) -> str:
    """Format a limit: 300 ms, +5% per release."""
    return format_seconds(limit.seconds) if limit.seconds is not None else f"{format_increase(limit.value)} per release"


def _format(limit: Limit, value: float) -> str:
    return format_increase(value) if limit.is_per_release else format_seconds(value)


def format_interval(limit: Limit, interval: Interval) -> str:
    """Format an interval: 250 to 310 ms is "250 ms to 310 ms"; without an upper bound "over 250 ms"."""
    low = _format(limit, interval.low)
    return f"over {low}" if interval.high is None else f"{low} to {_format(limit, interval.high)}"


def describe_state(what: str, limit: Limit, interval: Interval, state: BudgetState, level: str = "95% CI") -> str:
    """Return a value, what it means for the budget, and how certain that is. `level`: what the interval is."""
    words = {
        BudgetState.EXCEEDED: ("over", SIGNIFICANT),
        BudgetState.WITHIN: ("within", SIGNIFICANT),
        BudgetState.INCONCLUSIVE: ("against", INCONCLUSIVE),
    }
    place, certainty = words[state]
    value = f"{what} {_format(limit, interval.value)}, {place} the budget of {format_limit(limit)}"
    return f"{value}: {certainty} ({level} {format_interval(limit, interval)})."


def name_latency(signal: str, route: str | None, minutes: int) -> str:
    """Return what a latency budget measures, as the begin of a sentence."""
    of_route = f" of {route}" if route else ""
    return f"{signal}{of_route} in the last {minutes} minutes is"


def name_release(signal: str, route: str | None, commit: str, former: str) -> str:
    """Return what a budget per release measures, as the begin of a sentence."""
    of_route = f" of {route}" if route else ""
    return f"{name_signal(signal)}{of_route} of {commit} against {former}:"


def name_build(signal: str, route: str | None, commit: str) -> str:
    """Return what a budget of CPU per request measures, as the begin of a sentence."""
    of_route = f" of {route}" if route else ""
    return f"{name_signal(signal)}{of_route} of build {short_commit(commit)} is"


def describe_few_minutes(minutes: int, least: int, of: int) -> str:
    """Return that too few minutes have samples."""
    return f"{minutes} of the last {of} minutes have samples; at least {least} are needed."


def describe_few_requests(signal: str, requests: float, least: float, minutes: int) -> str:
    """Return that there were too few requests."""
    return f"{requests:,.0f} requests in the last {minutes} minutes; {signal} needs at least {least:,.0f}."


def describe_missing_histogram(why: str | None) -> str:
    """Return why no quantile is known."""
    return why or "The service has no histogram of latency in this environment."


def describe_missing_route(route: str) -> str:
    """Return that no series has the route."""
    return f"No histogram of latency has a label with the route {route}."


def describe_no_deployment(route: str | None) -> str:
    """Return that no deployment can be evaluated, or that one had too few requests of a route."""
    if route:
        return f"No deployment has enough requests of {route} on both sides yet, or none was evaluated."
    return "No deployment of the service was evaluated in this environment yet."


def describe_unsure_deployment(name: str) -> str:
    """Return that an evaluation of a deployment cannot exclude other causes."""
    return (
        f"Deployment {name} could be compared only with the time before, and too few deployments of equal builds show "
        "how much two time ranges of this service differ."
    )


def describe_no_profiles(route: str | None) -> str:
    """Return that no build has CPU per request, or none of a route."""
    if route:
        return (
            f"The newest build has no CPU profiles whose samples have a label with the route {route}, with the requests "
            "by route in their run metadata."
        )
    return "No build has CPU profiles with a known number of requests."


def describe_few_replicates(commit: str, replicates: int, least: int) -> str:
    """Return that a build has too few replicates for an interval."""
    have = "1 CPU profile" if replicates == 1 else f"{replicates} CPU profiles"
    return f"Build {short_commit(commit)} has {have}; an interval needs at least {least}."


def describe_no_former_build(commit: str, route: str | None) -> str:
    """Return that a build has no earlier one to compare with."""
    of_route = f" of {route}" if route else ""
    return (
        f"Build {short_commit(commit)} has no earlier build under the same conditions with CPU per request{of_route}."
    )
