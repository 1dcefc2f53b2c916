"""Handlers of all job types: exactly one for each, checked by a test."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from slowpath.core.db_sessions import WriteSession
from slowpath.core.jobs import Job
from slowpath_worker.job_context import JobContext, JobFailure
from slowpath_worker.tasks import (
    account_mail,
    accounts,
    artifacts,
    assemblies,
    bisect_plans,
    bisect_preflights,
    bisects,
    budgets,
    build_evaluation,
    change_detection,
    comparisons,
    discussions,
    example_data,
    gap_explanations,
    issues,
    metric_imports,
    metrics,
    notifications,
    package_closures,
    production_events,
    profile_sets,
    reports,
    repositories,
    retention,
    span_ingest,
    subscriber_mail,
    trace_excerpts,
    webhooks,
)

RecordFailure = Callable[[WriteSession, Any, JobFailure], None]


@dataclass(frozen=True)
class JobHandler:
    """Functions that run a job, and that record its failure on the job's subject."""

    job: type[Job]
    run: Callable[[Any, JobContext], None]
    record_failure: RecordFailure | None = None


HANDLERS: dict[str, JobHandler] = {
    handler.job.name: handler
    for handler in (
        JobHandler(artifacts.DecodeArtifact, artifacts.decode_artifact, artifacts.record_decode_failure),
        JobHandler(retention.DeleteOrphanedBlobs, retention.delete_orphaned_blobs),
        JobHandler(artifacts.DeleteUnusedBlobs, artifacts.delete_unused_blobs),
        JobHandler(artifacts.ExpireUpload, artifacts.expire_upload),
        JobHandler(
            trace_excerpts.ExtractTraceExcerpt, trace_excerpts.extract_excerpt, trace_excerpts.record_excerpt_failure
        ),
        JobHandler(span_ingest.MergeSpanPushes, span_ingest.merge_span_pushes),
        JobHandler(
            gap_explanations.ExplainGap, gap_explanations.explain_gap, gap_explanations.record_explanation_failure
        ),
        JobHandler(assemblies.DisassembleFunction, assemblies.disassemble_function, assemblies.record_assembly_failure),
        JobHandler(notifications.RegressionOpened, notifications.notify_regression_opened),
        JobHandler(notifications.RegressionChanged, notifications.notify_regression_changed),
        JobHandler(notifications.BuildEvaluated, notifications.notify_build_evaluated),
        JobHandler(
            notifications.DeliverNotification,
            notifications.run_notification_delivery,
            notifications.record_delivery_failure,
        ),
        JobHandler(issues.CreateIssue, issues.create_issue, issues.record_issue_failure),
        JobHandler(notifications.DeleteOldNotifications, notifications.delete_old_notifications),
        JobHandler(discussions.MailMentions, discussions.mail_mentions),
        JobHandler(subscriber_mail.SendSubscriberMail, subscriber_mail.send_subscriber_mail),
        JobHandler(subscriber_mail.SendHeldMails, subscriber_mail.send_held_mails),
        JobHandler(account_mail.MailInvitation, account_mail.mail_invitation),
        JobHandler(account_mail.MailPasswordReset, account_mail.mail_password_reset),
        JobHandler(repositories.FetchRepository, repositories.fetch_repository, repositories.record_fetch_failure),
        JobHandler(repositories.FetchPullRequests, repositories.fetch_pull_requests),
        JobHandler(repositories.FetchCommitPullRequest, repositories.fetch_commit_pull_request),
        JobHandler(repositories.PollRepository, repositories.poll_repository),
        JobHandler(package_closures.ComputePackageClosures, package_closures.read_closures),
        JobHandler(repositories.ReadCommitDiff, repositories.read_diff, repositories.record_diff_failure),
        JobHandler(repositories.DeleteRepositoryMirror, repositories.delete_repository_mirror),
        JobHandler(webhooks.ProcessDelivery, webhooks.process_delivery, webhooks.record_processing_failure),
        JobHandler(webhooks.ReconcileDeliveries, webhooks.reconcile_deliveries, webhooks.record_reconciliation_failure),
        JobHandler(metric_imports.ImportHistory, metric_imports.import_history, metric_imports.record_import_failure),
        JobHandler(metrics.CompactMetricWal, metrics.compact_metric_wal),
        JobHandler(metrics.RollUpMetrics, metrics.roll_up_metrics),
        JobHandler(metrics.DeleteExpiredSamples, metrics.delete_expired_samples),
        JobHandler(change_detection.DetectChangePoints, change_detection.watch_latency),
        JobHandler(change_detection.WatchFederatedServices, change_detection.watch_federated_services),
        JobHandler(budgets.EvaluateBudgets, budgets.evaluate_budgets),
        JobHandler(production_events.UpdateProductionEvents, production_events.update_production_events),
        JobHandler(production_events.ProductionEventChanged, production_events.notify_production_event),
        JobHandler(accounts.EraseTeam, accounts.erase_team),
        JobHandler(example_data.AddExampleData, example_data.add_example_data, example_data.record_addition_failure),
        JobHandler(
            example_data.RemoveExampleData, example_data.remove_example_data, example_data.record_removal_failure
        ),
        JobHandler(example_data.ExplainExampleGap, example_data.explain_example_gap),
        JobHandler(example_data.DeleteExampleHistory, example_data.delete_example_history),
        JobHandler(retention.EnforceRetention, retention.enforce_retention),
        JobHandler(bisects.AdvanceBisect, bisects.advance_bisect, bisects.record_advance_failure),
        JobHandler(bisects.CompareCulprit, bisects.compare_culprit),
        JobHandler(bisects.ReadMeasurement, bisects.read_measurement, bisects.record_measurement_failure),
        JobHandler(bisects.MonitorBisect, bisects.monitor_bisect),
        JobHandler(bisects.StartAutomaticBisect, bisects.start_automatic_bisect),
        JobHandler(bisects.PullRequestChanged, bisects.measure_pull_request),
        JobHandler(bisects.MeasureRefusedPullRequest, bisects.measure_refused_pull_request),
        JobHandler(bisects.MeasureOpenPullRequests, bisects.measure_open_pull_requests, bisects.record_list_failure),
        JobHandler(notifications.BisectFinished, notifications.notify_bisect_finished),
        JobHandler(notifications.PullRequestStarted, notifications.notify_bisect_finished),
        JobHandler(bisect_plans.PlanBisect, bisect_plans.plan_bisect, bisect_plans.record_plan_failure),
        JobHandler(
            bisect_preflights.CheckBisectRange,
            bisect_preflights.check_bisect_range,
            bisect_preflights.record_range_problem,
        ),
        JobHandler(bisect_plans.ExpandCandidate, bisect_plans.expand_candidate, bisect_plans.record_expansion_failure),
        JobHandler(build_evaluation.BuildChanged, build_evaluation.build_changed),
        JobHandler(
            build_evaluation.EvaluateBuild, build_evaluation.evaluate_build, build_evaluation.record_evaluation_failure
        ),
        JobHandler(build_evaluation.RefreshBuildComparison, build_evaluation.refresh_comparison),
        JobHandler(reports.DeleteUnusedReportBlobs, reports.delete_unused_report_blobs),
        JobHandler(profile_sets.OpenProfileSet, profile_sets.open_profile_set, profile_sets.record_set_failure),
        JobHandler(profile_sets.BuildProfileView, profile_sets.build_profile_view, profile_sets.record_view_failure),
        JobHandler(
            profile_sets.StoreRemainingChunks, profile_sets.store_remaining_chunks, profile_sets.record_view_failure
        ),
        JobHandler(profile_sets.ExportProfileSet, profile_sets.export_profile_set, profile_sets.record_export_failure),
        JobHandler(
            comparisons.ComputeComparison, comparisons.compute_comparison, comparisons.record_comparison_failure
        ),
        JobHandler(comparisons.BuildDiffView, comparisons.build_diff_view, comparisons.record_view_failure),
        JobHandler(comparisons.ExportComparison, comparisons.export_comparison, comparisons.record_export_failure),
    )
}
