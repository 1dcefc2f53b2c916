/**
 * The rules for pull requests that are measured before the merge, the newest measurements, and a
 * form for two commits.
 */
import { Button, TagsInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { PullRequestRules } from '../../../../api';
import { CommitComparisonTable } from './CommitComparisonTable';
import { CompareCommitsForm } from './CompareCommitsForm';
import { Amount, ServiceRules, type RulesKind } from '../rules/ServiceRules';
import {
  measureOpenPullRequests,
  pullRequestRulesQuery,
  setPullRequestRules,
} from './commit-comparison-queries';
import { rulesText } from './commit-comparison-wording';

const MINUTES_A_DAY = 1440;
const PERCENT = 100;

export type PullRequestsProps = {
  serviceId: string;
  mayManage: boolean;
  mayWrite: boolean;
  link: (id: string, words: ReactNode) => ReactNode;
  onStarted: (id: string) => void;
};

export default function PullRequests(props: PullRequestsProps) {
  const { serviceId, mayManage, mayWrite, link, onStarted } = props;
  return (
    <ServiceRules
      serviceId={serviceId}
      mayManage={mayManage}
      kind={MEASURED}
      query={pullRequestRulesQuery(serviceId)}
      title="Pull requests"
      aside="measured alternately with their merge base by a runner"
    >
      <CommitComparisonTable
        label="Measured pull requests"
        filter={{ service_id: serviceId }}
        link={link}
      />
      {mayWrite && <MeasureOpen serviceId={serviceId} />}
      {mayWrite && <CompareCommitsForm serviceId={serviceId} onStarted={onStarted} />}
    </ServiceRules>
  );
}

/**
 * A button that requests the open pull requests from the code host; shown only if the rules are
 * enabled.
 */
function MeasureOpen({ serviceId }: { serviceId: string }) {
  const rules = useQuery(pullRequestRulesQuery(serviceId));
  const asked = useMutation({ mutationFn: () => measureOpenPullRequests(serviceId) });
  if (rules.data?.enabled !== true) return null;
  return (
    <p>
      <Button
        size="compact-sm"
        variant="default"
        loading={asked.isPending}
        onClick={() => asked.mutate()}
      >
        Measure open pull requests
      </Button>{' '}
      <span role="status" className="muted">
        {asked.isSuccess &&
          'Asking the code host. Up to ten that are not measured yet appear here.'}
        {asked.error?.message}
      </span>
    </p>
  );
}

const MEASURED: RulesKind<PullRequestRules> = {
  label: 'Measure pull requests',
  description: 'A runner builds and runs their code. Pull requests of forks are never measured.',
  text: rulesText,
  save: setPullRequestRules,
  fields: (rules, change) => (
    <>
      <TagsInput
        label="Base branches"
        description="Empty for the default branch"
        value={rules.base_branches ?? []}
        maxTags={20}
        onChange={(base_branches) => change({ base_branches })}
      />
      <Amount
        label="Minutes per day, at most"
        value={rules.minutes_per_day}
        max={MINUTES_A_DAY}
        onChange={(minutes_per_day) => change({ minutes_per_day })}
      />
      <Amount
        label="Minutes per pull request, at most"
        value={rules.minutes_per_pull_request}
        max={MINUTES_A_DAY}
        onChange={(minutes_per_pull_request) => change({ minutes_per_pull_request })}
      />
      <Amount
        label="Increase that matters, in percent"
        value={Math.round((rules.smallest_change ?? 0) * PERCENT)}
        max={1000}
        onChange={(percent) => change({ smallest_change: percent / PERCENT })}
      />
    </>
  ),
};
