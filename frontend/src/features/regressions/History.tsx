/** What was done with a regression, newest first. What is said about it stands in its discussion. */
import { useQuery } from '@tanstack/react-query';
import { ErrorState, SkeletonRows, Time } from '../../ui';
import type { Person } from './Triage';
import { historyQuery } from './queries';
import classes from './regressions.module.css';
import { eventText } from './wording';

type HistoryProps = { id: string; people: Person[] };

export function History({ id, people }: HistoryProps) {
  const history = useQuery(historyQuery(id));
  const names = new Map(people.map((person) => [person.id, person.name]));
  return (
    <>
      {history.error && <ErrorState compact error={history.error} />}
      {history.isPending && <SkeletonRows rows={3} />}
      <ul className={classes.history} aria-label="History">
        {history.data?.items.map((event) => (
          <li key={event.id} className={classes.event}>
            <span>{event.by ? (event.by.name ?? 'somebody who left') : 'Slowpath'}</span>
            <span className="muted">
              <Time at={event.created_at} />
            </span>
            <span className={event.what === 'note' ? classes.note : undefined}>
              {eventText(event, (person) => names.get(person) ?? 'somebody who left')}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
