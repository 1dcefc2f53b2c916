"""Which handler carries out which job: exactly one each (a test counts them)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from slowpath.core.errors import SlowpathError
from slowpath.core.jobs import Job
from slowpath.core.sessions import WriteSession
from slowpath_worker.context import Cancelled, Context
from slowpath_worker.tasks import (
    accounts,
    bisects,
    bisects_planning,
    changes,
    closures,
    commits,
    comparisons,
    discussions,
    explanations,
    hooks,
    keeping,
    mails,
    metrics,
    notifications,
    regressions,
    reports,
    sources,
    spans,
    traces,
    uploads,
)

BadEnd = Callable[[WriteSession, Any, SlowpathError | Cancelled, dict[str, Any]], None]


@dataclass(frozen=True)
class Handler:
    """How a job is carried out, and how what it is about learns that it ended badly."""

    job: type[Job]
    run: Callable[[Any, Context], None]
    ended_badly: BadEnd | None = None


HANDLERS: dict[str, Handler] = {
    handler.job.name: handler
    for handler in (
        Handler(uploads.DecodeArtifact, uploads.decode_artifact, uploads.decode_ended_badly),
        Handler(uploads.ForgetBlobs, uploads.forget_blobs),
        Handler(uploads.ExpireUpload, uploads.expire_upload),
        Handler(traces.CutTrace, traces.cut_trace, traces.cut_ended_badly),
        Handler(spans.FoldPushes, spans.fold_pushes),
        Handler(explanations.ExplainGap, explanations.explain_gap, explanations.explain_ended_badly),
        Handler(notifications.RegressionOpened, notifications.tell_of_opened),
        Handler(notifications.RegressionChanged, notifications.tell_of_change),
        Handler(notifications.BuildJudged, notifications.tell_of_judgement),
        Handler(notifications.Deliver, notifications.deliver_message, notifications.deliver_ended_badly),
        Handler(notifications.ForgetMessages, notifications.forget_messages),
        Handler(discussions.MailMentions, discussions.mail_mentions),
        Handler(mails.MailInvitation, mails.mail_invitation),
        Handler(mails.MailReset, mails.mail_reset),
        Handler(commits.FetchRepository, commits.fetch_repository, commits.fetch_ended_badly),
        Handler(commits.LookAtRepository, commits.look_at_repository),
        Handler(closures.ReadClosures, closures.read_closures),
        Handler(commits.ReadDiff, commits.read_diff, commits.diff_ended_badly),
        Handler(commits.ForgetMirror, commits.forget_mirror),
        Handler(hooks.TakeDelivery, hooks.take_delivery, hooks.delivery_failed),
        Handler(hooks.ReconcileHook, hooks.reconcile_hook, hooks.reconcile_failed),
        Handler(sources.ImportHistory, sources.import_history, sources.import_ended_badly),
        Handler(metrics.FoldTail, metrics.fold_tail),
        Handler(metrics.ForgetOldSamples, metrics.forget_old),
        Handler(changes.WatchLatency, changes.watch_latency),
        Handler(accounts.EraseTeam, accounts.erase_team),
        Handler(keeping.KeepHouse, keeping.keep_house),
        Handler(keeping.ExportTeam, keeping.export_team, keeping.export_ended_badly),
        Handler(bisects.StepBisect, bisects.step_bisect, bisects.step_ended_badly),
        Handler(bisects.ReadWindow, bisects.read_window, bisects.read_ended_badly),
        Handler(bisects.WatchBisect, bisects.watch_bisect),
        Handler(notifications.BisectEnded, notifications.tell_of_bisect),
        Handler(bisects_planning.PlanBisect, bisects_planning.plan_bisect, bisects_planning.plan_ended_badly),
        Handler(bisects_planning.OpenCandidate, bisects_planning.open_candidate, bisects_planning.open_ended_badly),
        Handler(regressions.BuildChanged, regressions.build_changed),
        Handler(regressions.MeasureBuild, regressions.measure_build, regressions.measure_ended_badly),
        Handler(reports.TidyReport, reports.tidy_report),
        Handler(comparisons.CompareSets, comparisons.compare_sets, comparisons.compare_ended_badly),
        Handler(comparisons.CutView, comparisons.cut_view, comparisons.view_ended_badly),
        Handler(comparisons.MakeExport, comparisons.make_export, comparisons.export_ended_badly),
    )
}
