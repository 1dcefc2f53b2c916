import type { ReactNode } from 'react';
import classes from './FactsList.module.css';

/** Names and values in two columns: the details of an object on its page. */
export function DetailsList({ facts }: { facts: [string, ReactNode][] }) {
  return (
    <dl className={classes.list}>
      {facts.map(([name, value]) => (
        <div key={name} className={classes.row}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
