import { useCallback, useEffect, type ReactNode } from 'react';
import { useIsSnapshot, usePageActions } from './SnapshotContext';
import classes from './Page.module.css';

/** Sets the title of the browser tab. A page inside a report leaves the title to the report. */
export function useTitle(title: string): void {
  const frozen = useIsSnapshot();
  useEffect(() => {
    if (frozen) return;
    document.title = title === '' ? 'Slowpath' : `${title} · Slowpath`;
  }, [title, frozen]);
}

type HeadProps = {
  /** The answer of the page in one sentence, or the name of a page without a question. */
  title: ReactNode;
  /** A line above the title, such as the sides of a comparison. */
  above?: ReactNode;
  /** One muted line below the title, such as exact values or conditions. */
  sub?: ReactNode;
  /** Shown at the right; at most one is a primary button. */
  actions?: ReactNode;
};

export function PageHeader({ title, above, sub, actions }: HeadProps) {
  const frozen = useIsSnapshot();
  const always = usePageActions();
  const adopt = useCallback(
    (slot: HTMLSpanElement | null) => {
      if (always) slot?.append(always);
    },
    [always],
  );
  // A page inside a report is a part of another page, which has the h1.
  const Title = frozen ? 'h2' : 'h1';
  return (
    <div className={above === undefined ? classes.head : classes.headBelow}>
      <div className={classes.words}>
        {above !== undefined && <div className={classes.above}>{above}</div>}
        <Title className={classes.title}>{title}</Title>
        {sub !== undefined && <p className={classes.sub}>{sub}</p>}
      </div>
      {!frozen && (actions !== undefined || always !== null) && (
        <div className={classes.actions}>
          {always && <span className={classes.always} ref={adopt} />}
          {actions}
        </div>
      )}
    </div>
  );
}

type SectionProps = {
  title?: ReactNode;
  aside?: ReactNode;
  controls?: ReactNode;
  children: ReactNode;
  narrow?: boolean;
};

/** A section of full width with a line above; its head has a muted unit or scope, and controls. */
export function Section({ title, aside, controls, children, narrow = false }: SectionProps) {
  const Title = useIsSnapshot() ? 'h3' : 'h2';
  return (
    <section className={classes.section}>
      {title !== undefined && (
        <Title className={classes.sectionHead}>
          {title}
          {aside !== undefined && <span className="muted">{aside}</span>}
          <span className="grow" />
          {controls !== undefined && <span className={classes.controls}>{controls}</span>}
        </Title>
      )}
      <div className={narrow ? classes.narrow : undefined}>{children}</div>
    </section>
  );
}

export function Toolbar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.bar} role="toolbar" aria-label={label}>
      {children}
    </div>
  );
}
