import type { InboxItem } from '../../../api';
import classes from './inbox.module.css';
import { SEVERITY_LABELS, addedText } from './inbox-wording';

/** The severity as three bars and a word, and the latency added per second if the load is known. */
export function SeverityBars({ item }: { item: InboxItem }) {
  const [bars, word] = SEVERITY_LABELS[item.severity];
  return (
    <span className={classes.severity}>
      <svg width="15" height="14" aria-hidden>
        {[0, 1, 2].map((bar) => (
          <rect
            key={bar}
            x={bar * 5}
            y={9 - bar * 4}
            width="4"
            height={5 + bar * 4}
            className={bar < bars ? classes.barFull : classes.barEmpty}
          />
        ))}
      </svg>
      <span>{word}</span>
      <small title="seconds of latency added each second">{addedText(item)}</small>
    </span>
  );
}
