/** The frame of every page that is met signed out: one column, one question, the error in its place. */
import type { ReactNode } from 'react';
import classes from './Entrance.module.css';

export function Entrance({
  title,
  sub,
  children,
  foot,
}: {
  title: string;
  sub?: ReactNode;
  children?: ReactNode;
  foot?: ReactNode;
}) {
  return (
    <main className={classes.page}>
      <p className={classes.brand}>Slowpath</p>
      <h1 className={classes.title}>{title}</h1>
      {sub !== undefined && <p className={classes.sub}>{sub}</p>}
      {children}
      {foot !== undefined && <p className={classes.foot}>{foot}</p>}
    </main>
  );
}

/** Shown where the browser would neither keep the session's cookie nor offer what the page needs. */
export function InsecurePage({ host }: { host: string }) {
  return (
    <Entrance
      title="Open this page over https or on localhost"
      sub={
        <>
          <span className="mono">http://{host}</span> is neither encrypted nor this machine itself:
          whoever sits between could read your session, so Slowpath does not sign anyone in here.
        </>
      }
      foot={
        <>
          On the machine that runs Slowpath, open <span className="mono">http://localhost</span>{' '}
          with the same port. From elsewhere, tunnel to it (
          <span className="mono">ssh -L 8000:localhost:8000 host</span>) or put https in front of
          it.
        </>
      }
    />
  );
}
