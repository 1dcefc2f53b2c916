import type { ReactNode } from 'react';
import type { ProductionEvent } from '../../../api';
import { EmptyState, PersonName, Section } from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import classes from './events.module.css';
import { percentText } from './event-wording';

type Suspect = ProductionEvent['suspects'][number];

type CommitsProps = {
  event: ProductionEvent;
  link: (repositoryId: string, sha: string, words: ReactNode) => ReactNode;
};

/** Shows the commits of the deployment, the most suspicious first, with their authors. */
export function EventCommits({ event, link }: CommitsProps) {
  const { suspects, suspects_reason: reason } = event;
  if (event.cause !== 'deployment' && suspects.length === 0) return null;
  return (
    <Section
      title="Commits of the deployment"
      aside={suspects.length > 0 && `${suspects.length}, most suspicious first`}
    >
      {suspects.length === 0 && <EmptyState>{reason ?? 'No commits are known.'}</EmptyState>}
      <ol className={classes.commits}>
        {suspects.map((suspect, at) => (
          <li key={suspect.commit_id} data-suspect={isSuspect(suspects, at) || undefined}>
            <span className="mono">
              {link(suspect.repository_id, suspect.sha, shortCommit(suspect.sha))}
            </span>
            <span className={classes.commitTitle}>
              {isSuspect(suspects, at) && <b>Suspect: </b>}
              {suspect.title}
            </span>
            <span>{suspect.author !== null && <PersonName name={suspect.author} />}</span>
            <span className={classes.reason} title={suspect.reasons.join('\n')}>
              {suspect.reasons[0] ?? ''}
              <b>{percentText(suspect.suspicion)}</b>
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Whether this is the first commit and more suspicious than the second. */
function isSuspect(suspects: Suspect[], at: number): boolean {
  const [first, second] = suspects;
  return at === 0 && first !== undefined && first.suspicion > (second?.suspicion ?? 0);
}
