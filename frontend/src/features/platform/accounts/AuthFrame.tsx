/** The frame of all pages for signed-out users: one column with a title, a form and its error. */
import type { ReactNode } from 'react';
import { HelpLink } from '../../../ui';
import classes from './AuthFrame.module.css';

export function AuthFrame({
  title,
  sub,
  children,
  foot,
  beside,
}: {
  title: string;
  sub?: ReactNode;
  children?: ReactNode;
  foot?: ReactNode;
  /** Content right of the column; below it on a narrow screen. */
  beside?: ReactNode;
}) {
  const page = (
    <main className={classes.page}>
      <p className={classes.brand}>Slowpath</p>
      <h1 className={classes.title}>{title}</h1>
      {sub !== undefined && <p className={classes.sub}>{sub}</p>}
      {children}
      {foot !== undefined && <p className={classes.foot}>{foot}</p>}
      <p className={classes.foot}>
        <HelpLink topic="guide" />
      </p>
    </main>
  );
  if (beside === undefined) return page;
  return (
    <div className={classes.columns}>
      {page}
      {beside}
    </div>
  );
}

/**
 * Shown where the browser would not store the session cookie and lacks features that the page
 * needs.
 */
export function InsecurePage({ host }: { host: string }) {
  return (
    <AuthFrame
      title="Open this page over https or on localhost"
      sub={
        <>
          <span className="mono">http://{host}</span> is not encrypted, and this is not localhost:
          others on the network could read your session. Sign-in is disabled here.
        </>
      }
      foot={
        <>
          On the machine that runs Slowpath, open <span className="mono">http://localhost</span>{' '}
          with the same port. From another machine, use a tunnel (
          <span className="mono">ssh -L 8000:localhost:8000 host</span>) or serve Slowpath over
          https.
        </>
      }
    />
  );
}
