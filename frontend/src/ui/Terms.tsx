import { lazy } from 'react';
import type { TermName } from '../lib/glossary';
import { LazyPopover } from './LazyPopover';
import { HiddenInSnapshot, useIsSnapshot } from './SnapshotContext';
import classes from './Terms.module.css';
import type { TermProps } from './term-props';

const TermPopover = lazy(() => import('./TermPopover'));

/** Words that open the glossary entry of a term. A click on them does not reach the row around. */
export function Term({ name, children = name, detail }: TermProps) {
  if (useIsSnapshot()) return <span title={detail}>{children}</span>;
  return (
    <span role="presentation" onClick={(event) => event.stopPropagation()}>
      <LazyPopover
        button={(onPress) => (
          <button
            type="button"
            aria-haspopup="dialog"
            className={classes.term}
            title={detail}
            onClick={onPress}
          >
            {children}
          </button>
        )}
      >
        <TermPopover name={name} detail={detail}>
          {children}
        </TermPopover>
      </LazyPopover>
    </span>
  );
}

/** Lists the terms that a part of a page uses. */
export function Terms({ names }: { names: readonly TermName[] }) {
  return (
    <HiddenInSnapshot>
      <p className={classes.terms}>
        <span className="muted">Terms:</span>
        {names.map((name) => (
          <Term key={name} name={name} />
        ))}
      </p>
    </HiddenInSnapshot>
  );
}
