import { useEffect, type ReactNode } from 'react';
import classes from './Page.module.css';

/** The name of the page, in the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Slowpath' : `${title} · Slowpath`;
  }, [title]);
}

type HeadProps = {
  /** The page's answer in one sentence, or its name when it has no question. */
  title: ReactNode;
  /** A line above: the sides. */
  above?: ReactNode;
  /** One muted line: exact values, conditions. */
  sub?: ReactNode;
  /** Right; at most one primary. */
  actions?: ReactNode;
};

export function PageHead({ title, above, sub, actions }: HeadProps) {
  return (
    <div className={classes.head}>
      <div className={classes.words}>
        {above}
        <h1 className={classes.title}>{title}</h1>
        {sub !== undefined && <p className={classes.sub}>{sub}</p>}
      </div>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
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

/** Full-bleed, parted by one hairline; the head has its unit or scope in muted beside it, controls right. */
export function Section({ title, aside, controls, children, narrow = false }: SectionProps) {
  return (
    <section className={classes.section}>
      {title !== undefined && (
        <h2 className={classes.sectionHead}>
          {title}
          {aside !== undefined && <span className="muted">{aside}</span>}
          <span className="grow" />
          {controls}
        </h2>
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
