import type { ReactNode } from 'react';
import classes from './SelectionBar.module.css';

type BarProps = { label: string; text: ReactNode; onClear: () => void; children: ReactNode };

/** A bar of actions for the selected rows, at the bottom edge while something is selected. */
export function SelectionBar({ label, text, onClear, children }: BarProps) {
  return (
    <div className={classes.bar} role="region" aria-label={label}>
      <span aria-live="polite">{text}</span>
      <span className="grow" />
      {children}
      <button type="button" className="link" onClick={onClear}>
        Clear selection
      </button>
    </div>
  );
}
