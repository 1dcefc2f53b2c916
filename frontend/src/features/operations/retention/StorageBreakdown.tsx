import { countOf, sizeText } from '../../../ui';
import classes from './retention.module.css';

type Row = { name: string; files: number; bytes: number };
type StorageBreakdownProps = { label: string; rows: Row[]; noun?: string; keepOrder?: boolean };

/** Rows with a name, a bar for the share of the bytes, and the numbers. */
export function StorageBreakdown({
  label,
  rows,
  noun = 'artifact',
  keepOrder = false,
}: StorageBreakdownProps) {
  const total = rows.reduce((sum, one) => sum + one.bytes, 0);
  const shown = keepOrder ? rows : [...rows].sort((a, b) => b.bytes - a.bytes);
  return (
    <div className={classes.shares}>
      <h3 className={classes.subhead}>{label}</h3>
      <ul aria-label={label}>
        {shown.map((one) => (
          <li key={one.name} className={classes.share}>
            <span className={classes.shareName} title={one.name}>
              {one.name}
            </span>
            <span className={classes.track} aria-hidden>
              <span
                className={classes.bar}
                style={{
                  width: `${one.bytes > 0 ? Math.max((one.bytes / total) * 100, 0.4) : 0}%`,
                }}
              />
            </span>
            <span className={classes.amount}>{sizeText(one.bytes)}</span>
            <span className={classes.count}>{countOf(one.files, noun)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
