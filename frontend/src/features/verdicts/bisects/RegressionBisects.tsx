/** The bisects of a regression with their states. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { BisectListItemOut } from '../../../api';
import { StateIcon } from '../../../ui';
import classes from './bisects.module.css';
import { automaticStartQuery, bisectsOfQuery } from './bisect-queries';
import { STATES, sentenceBesideState } from './bisect-wording';

export type RegressionBisectsProps = {
  regression_id: string;
  link: (id: string, words: ReactNode) => ReactNode;
  /** Whether to state why none was started automatically, or why the newest waits. */
  explains?: boolean;
};

export default function RegressionBisects(props: RegressionBisectsProps) {
  const { regression_id, link, explains = false } = props;
  const earlier = useQuery(bisectsOfQuery(regression_id));
  const automatic = useQuery({ ...automaticStartQuery(regression_id), enabled: explains });
  const rows = earlier.data?.items ?? [];
  const obstacle = automatic.data?.obstacle;
  return (
    <>
      <Earlier rows={rows} link={link} />
      {explains && obstacle && (
        <p>
          {obstacle.sentence} <span className="muted">{obstacle.remedy}</span>
        </p>
      )}
    </>
  );
}

type EarlierProps = { rows: BisectListItemOut[]; link: RegressionBisectsProps['link'] };

function Earlier({ rows, link }: EarlierProps) {
  if (rows.length === 0) return null;
  return (
    <ul className={classes.earlier} aria-label="Bisects of this regression">
      {rows.map((row) => (
        <li key={row.id}>
          <StateIcon glyph={STATES[row.state][0]}>{STATES[row.state][1]}</StateIcon>{' '}
          {link(row.id, `Bisect ${row.number}`)}{' '}
          <span className="muted">{sentenceBesideState(row)}</span>
        </li>
      ))}
    </ul>
  );
}
