/**
 * Queries of commit comparisons, and of the rules by which pull requests are measured. Keys begin
 * with the kind of their updates.
 */
import { queryOptions } from '@tanstack/react-query';
import { calls, type PullRequestRules } from '../../../../api';
import { pagedList } from '../../../../ui';

const PAGE = 10;

export type CommitComparisonsFilter = {
  service_id: string;
  pull_request?: number;
  /** The first digits of a commit. */
  candidate?: string;
};

export const pullRequestRulesQuery = (service_id: string) =>
  queryOptions({
    queryKey: ['bisect', 'pull-request-rules', service_id],
    queryFn: ({ signal }) => calls.pullRequestRulesGet({ path: { service_id }, signal }),
  });
export const setPullRequestRules = (service_id: string, body: PullRequestRules) =>
  calls.pullRequestRulesSet({ path: { service_id }, body });

export const measureOpenPullRequests = (service_id: string) =>
  calls.pullRequestRulesMeasureOpen({ path: { service_id } });

export const commitComparisonsQuery = (filter: CommitComparisonsFilter) =>
  pagedList(['bisect', 'commit-comparisons', filter], (cursor, signal) =>
    calls.commitComparisonsList({ query: { ...filter, cursor, limit: PAGE }, signal }),
  );
export const commitComparisonQuery = (bisect_id: string) =>
  queryOptions({
    queryKey: ['bisect', 'commit-comparison', bisect_id],
    queryFn: ({ signal }) => calls.commitComparisonsGet({ path: { bisect_id }, signal }),
  });
export const cancelCommitComparison = (bisect_id: string) =>
  calls.commitComparisonsCancel({ path: { bisect_id } });
export const startCommitComparison = (
  service_id: string,
  base_sha: string,
  candidate_sha: string,
) => calls.commitComparisonsCreate({ body: { service_id, base_sha, candidate_sha } });
