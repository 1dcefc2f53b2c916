/** The history of a regression, newest first. Comments are in its discussion. */
import { useQuery } from '@tanstack/react-query';
import { ErrorState, SkeletonRows, Timestamp } from '../../../ui';
import type { Person } from './TriageActions';
import { historyQuery } from './regression-queries';
import classes from './regressions.module.css';
import { eventText } from './regression-wording';

type RegressionHistoryProps = { id: string; people: Person[] };

export function RegressionHistory({ id, people }: RegressionHistoryProps) {
  const history = useQuery(historyQuery(id));
  const names = new Map(people.map((person) => [person.id, person.name]));
  return (
    <>
      {history.error && <ErrorState compact error={history.error} />}
      {history.isPending && <SkeletonRows rows={3} />}
      <ul className={classes.history} aria-label="History">
        {history.data?.items.map((event) => (
          <li key={event.id} className={classes.event}>
            <span>{event.actor ? (event.actor.name ?? 'former member') : 'Slowpath'}</span>
            <span className="muted">
              <Timestamp at={event.created_at} />
            </span>
            <span className={event.kind === 'note' ? classes.note : undefined}>
              {eventText(event, (person) => names.get(person) ?? 'former member')}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
