/** The history of a bisect, newest first. */
import type { Bisect } from '../../../../api';
import { Timestamp } from '../../../../ui';
import classes from '../shared/bisects.module.css';

export function BisectHistory({ events }: { events: Bisect['events'] }) {
  return (
    <div className={classes.events} tabIndex={0} role="group" aria-label="History">
      <ul>
        {events.map(({ id, occurred_at, actor, sentence }) => (
          <li key={id}>
            <span className="muted">
              <Timestamp at={occurred_at} />
            </span>{' '}
            {actor !== null && <b>{actor}</b>} {sentence}
          </li>
        ))}
      </ul>
    </div>
  );
}
