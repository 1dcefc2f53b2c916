/** The bisects of a regression with their states. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { BisectListItemOut } from '../../../../api';
import { StateIcon } from '../../../../ui';
import classes from '../shared/bisects.module.css';
import { automaticStartQuery, bisectsOfQuery } from '../shared/bisect-queries';
import { STATES, sentenceBesideState } from '../shared/bisect-wording';

export type RegressionBisectsProps = {
  regression_id: string;
  link: (id: string, words: ReactNode) => ReactNode;
  /**
   * A link to the page of the service with the rules. Only with it, the reason is shown why no
   * bisect was started, or why the newest one waits.
   */
  rules?: (serviceId: string, words: ReactNode) => ReactNode;
};

/** The obstacles that the rules of the service can remove. */
const BY_RULES: ReadonlySet<string> = new Set(['off', 'hours', 'budget', 'approval']);

export default function RegressionBisects(props: RegressionBisectsProps) {
  const { regression_id, link, rules } = props;
  const earlier = useQuery(bisectsOfQuery(regression_id));
  const automatic = useQuery({
    ...automaticStartQuery(regression_id),
    enabled: rules !== undefined,
  });
  const rows = earlier.data?.items ?? [];
  const start = automatic.data;
  const obstacle = start?.obstacle;
  return (
    <>
      <Earlier rows={rows} link={link} />
      {rules && start && obstacle && (
        <p>
          {obstacle.sentence} <span className="muted">{obstacle.remedy}</span>
          {BY_RULES.has(obstacle.key) && (
            <> {rules(start.service_id, 'Rules of automatic bisects')}</>
          )}
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
