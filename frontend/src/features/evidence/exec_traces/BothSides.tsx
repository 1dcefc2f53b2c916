/** A value of both sides in one cell of a table. */
import type { Change } from '../../../engine/format/change-class';
import classes from './traces.module.css';

export const dash = <span className="muted">–</span>;

type BothSidesProps = {
  base: string | null;
  candidate: string | null;
  single: boolean;
  change?: Change;
};

/** A value of base, then of candidate; of a single trace alone. */
export function BothSides({ base, candidate, single, change = 'noise' }: BothSidesProps) {
  if (single) return base ?? dash;
  const tone =
    change === 'more' || change === 'only-candidate'
      ? classes.moreCell
      : change === 'noise'
        ? ''
        : classes.lessCell;
  return (
    <span className={`${classes.cell} ${tone}`}>
      <span className={classes.to}>
        {base ?? '–'} <small>to</small>{' '}
      </span>
      {tone === '' ? <span className="t2">{candidate ?? '–'}</span> : <b>{candidate ?? '–'}</b>}
    </span>
  );
}
