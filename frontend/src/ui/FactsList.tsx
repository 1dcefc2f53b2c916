import type { ReactNode } from 'react';
import classes from './FactsList.module.css';

/** Names and values in two columns, as every detail page shows what is known of its thing. */
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
