/** The bisects that a regression has, each with how it stands. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { StateGlyph } from '../../ui';
import classes from './bisects.module.css';
import { bisectsOfQuery } from './queries';
import { STATES } from './wording';

export type EarlierProps = {
  regression_id: string;
  link: (id: string, words: ReactNode) => ReactNode;
};

export default function Earlier({ regression_id, link }: EarlierProps) {
  const earlier = useQuery(bisectsOfQuery(regression_id));
  const rows = earlier.data?.items ?? [];
  if (rows.length === 0) return null;
  return (
    <ul className={classes.earlier} aria-label="Bisects of this regression">
      {rows.map(({ id, number, state, sentence }) => (
        <li key={id}>
          <StateGlyph glyph={STATES[state][0]}>{STATES[state][1]}</StateGlyph>{' '}
          {link(id, `Bisect ${number}`)} <span className="muted">{sentence}</span>
        </li>
      ))}
    </ul>
  );
}
