/** Whether pull requests of a service are measured before the merge, the newest measurements, and a form for two commits. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState, Section, SkeletonRows, StateIcon } from '../../../ui';
import { CompareCommitsForm } from './CompareCommitsForm';
import { PullRequestRulesForm } from './PullRequestRulesForm';
import classes from './bisects.module.css';
import { commitComparisonsQuery, pullRequestRulesQuery } from './commit-comparison-queries';
import { outcomeOf, rulesText } from './commit-comparison-wording';

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
  const measured = useQuery(commitComparisonsQuery(serviceId));
  const rows = measured.data?.items ?? [];
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
      {rows.length > 0 && (
        <ul className={classes.earlier} aria-label="Commit comparisons of this service">
          {rows.map((row) => {
            const [glyph, words] = outcomeOf(row);
            return (
              <li key={row.id}>
                <StateIcon glyph={glyph}>{words}</StateIcon> {link(row.id, row.title)}{' '}
                <span className="muted">{row.sentence}</span>
              </li>
            );
          })}
        </ul>
      )}
      {mayWrite && <CompareCommitsForm serviceId={serviceId} onStarted={onStarted} />}
    </Section>
  );
}
