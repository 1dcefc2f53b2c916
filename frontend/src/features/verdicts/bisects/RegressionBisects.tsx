/** The bisects of a regression with their states. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { StateIcon } from '../../../ui';
import classes from './bisects.module.css';
import { bisectsOfQuery } from './bisect-queries';
import { STATES } from './bisect-wording';

export type RegressionBisectsProps = {
  regression_id: string;
  link: (id: string, words: ReactNode) => ReactNode;
};

export default function RegressionBisects({ regression_id, link }: RegressionBisectsProps) {
  const earlier = useQuery(bisectsOfQuery(regression_id));
  const rows = earlier.data?.items ?? [];
  if (rows.length === 0) return null;
  return (
    <ul className={classes.earlier} aria-label="Bisects of this regression">
      {rows.map(({ id, number, state, sentence }) => (
        <li key={id}>
          <StateIcon glyph={STATES[state][0]}>{STATES[state][1]}</StateIcon>{' '}
          {link(id, `Bisect ${number}`)} <span className="muted">{sentence}</span>
        </li>
      ))}
    </ul>
  );
}
