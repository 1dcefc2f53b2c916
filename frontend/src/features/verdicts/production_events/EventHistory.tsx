import type { ProductionEvent } from '../../../api';
import { Timestamp } from '../../../ui';
import classes from './events.module.css';
import { historyTone } from './event-wording';

/** Shows the history of an event, newest first. */
export function EventHistory({ history }: Pick<ProductionEvent, 'history'>) {
  return (
    <section aria-label="History">
      <h2 className={classes.asideHead}>History</h2>
      <ul className={classes.history}>
        {history.map(({ at, type, sentence, user }) => (
          <li key={`${at} ${type} ${sentence}`}>
            <span className="muted">
              <Timestamp at={at} />
            </span>
            <i data-tone={historyTone(type)} aria-hidden />
            <span>
              {sentence}
              {user !== null && <span className="muted"> · {user.name ?? 'a former member'}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
