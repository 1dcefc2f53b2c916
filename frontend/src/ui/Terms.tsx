import { lazy } from 'react';
import type { TermName } from '../lib/glossary';
import { LazyPopover } from './LazyPopover';
import { HiddenInSnapshot } from './SnapshotContext';
import classes from './Terms.module.css';

const TermPopover = lazy(() => import('./TermPopover'));

/** The terms that a part of a page uses; each opens its meaning from the glossary. */
export function Terms({ names }: { names: readonly TermName[] }) {
  return (
    <HiddenInSnapshot>
      <p className={classes.terms}>
        <span className="muted">Terms:</span>
        {names.map((name) => (
          <LazyPopover
            key={name}
            button={(onPress) => (
              <button
                type="button"
                aria-haspopup="dialog"
                className={classes.term}
                onClick={onPress}
              >
                {name}
              </button>
            )}
          >
            <TermPopover name={name} />
          </LazyPopover>
        ))}
      </p>
    </HiddenInSnapshot>
  );
}
