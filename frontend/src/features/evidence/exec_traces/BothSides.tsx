/** A table cell with the values of both sides. */
import type { Change } from '../../../engine/format/change-class';
import classes from './traces.module.css';

export const dash = <span className="muted">–</span>;

type BothSidesProps = {
  base: string | null;
  candidate: string | null;
  single: boolean;
  change?: Change;
};

/** The values of base and candidate; for a single trace, only its value. */
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
