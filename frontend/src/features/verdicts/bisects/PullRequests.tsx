/** Whether pull requests of a service are measured before the merge, the newest measurements, and a form for two commits. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState, Section, SkeletonRows } from '../../../ui';
import { CommitComparisonTable } from './CommitComparisonTable';
import { CompareCommitsForm } from './CompareCommitsForm';
import { PullRequestRulesForm } from './PullRequestRulesForm';
import { pullRequestRulesQuery } from './commit-comparison-queries';
import { rulesText } from './commit-comparison-wording';

export type PullRequestsProps = {
  serviceId: string;
  mayManage: boolean;
  mayWrite: boolean;
  link: (id: string, words: ReactNode) => ReactNode;
  onStarted: (id: string) => void;
};

export default function PullRequests(props: PullRequestsProps) {
  const { serviceId, mayManage, mayWrite, link, onStarted } = props;
  const rules = useQuery(pullRequestRulesQuery(serviceId));
  return (
    <Section title="Pull requests" aside="measured alternately with their merge base by a runner">
      {rules.error && <ErrorState what="Could not load the rules" error={rules.error} />}
      {rules.isPending && <SkeletonRows rows={2} />}
      {rules.data &&
        (mayManage ? (
          <PullRequestRulesForm
            key={JSON.stringify(rules.data)}
            serviceId={serviceId}
            stored={rules.data}
          />
        ) : (
          <p>{rulesText(rules.data)}</p>
        ))}
      <CommitComparisonTable
        label="Measured pull requests"
        filter={{ service_id: serviceId }}
        link={link}
      />
      {mayWrite && <CompareCommitsForm serviceId={serviceId} onStarted={onStarted} />}
    </Section>
  );
}
