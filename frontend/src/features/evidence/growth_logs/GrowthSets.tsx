/** A table of growth-log sets: printed events, estimated events, and how often a stack grows. */
import {
  formatCount,
  formatNumber,
  formatRatio,
  formatRatioRange,
  formatShare,
} from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import { shortName } from '../../../engine/format/short-function-name';
import { EmptyState, Section, SideMark, countOf, durationText } from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import classes from './growth.module.css';
import { rateOf, rateText } from './growth-rows';
import type { GrowthSet } from './growth-types';

export function GrowthSets({ sets }: { sets: GrowthSet[] }) {
  const rates = [...new Set(sets.map(rateOf).filter((rate) => rate !== null))];
  const perRequest = sets.some(({ per_request }) => per_request !== null);
  const aside = rates.length === 1 ? rateText(rates[0]!) : 'sampled counts and estimates';
  const dash = <span className="muted">–</span>;
  const amount = (value: number | null) => (value === null ? dash : formatNumber(value));
  return (
    <Section title="Stack growth" aside={aside}>
      {sets.length === 0 ? (
        <EmptyState>No stack-growth logs on either side.</EmptyState>
      ) : (
        <div className={classes.scroll}>
          <table className={classes.sets} aria-label="Sets of stack-growth logs">
            <thead>
              <tr>
                <th scope="col">Set</th>
                <th scope="col">Logs</th>
                <th scope="col">Duration</th>
                <th scope="col">Sampled growth events</th>
                <th scope="col">Growth events, estimated</th>
                <th scope="col">95% interval</th>
                <th scope="col">Vs first set</th>
                <th scope="col">Per second</th>
                {perRequest && <th scope="col">Per request</th>}
                <th scope="col">Mostly attributed to</th>
              </tr>
            </thead>
            <tbody>
              {sets.map((set, index) => (
                <tr key={`${set.side} ${set.label} ${index}`}>
                  <th scope="row">
                    <span className={classes.name}>
                      {(set.side === 'base' || set.side === 'candidate') && (
                        <SideMark side={set.side} label />
                      )}
                      {set.label !== set.side && (
                        <span className="mono cut" title={set.label}>
                          {setName(set.label)}
                        </span>
                      )}
                    </span>
                  </th>
                  <td>{countOf(set.artifacts, 'log')}</td>
                  <td>{set.duration_ns ? durationText(set.duration_ns) : dash}</td>
                  <td>
                    <b className={classes.large}>{formatCount(set.sampled)}</b>
                  </td>
                  <td>{formatCount(set.estimated_growths)}</td>
                  <td className="muted">
                    {`${formatNumber(set.low)} – ${formatNumber(set.high)}`}
                  </td>
                  <td>{index === 0 ? dash : <Against set={set} />}</td>
                  <td>{amount(set.per_second)}</td>
                  {perRequest && <td>{amount(set.per_request)}</td>}
                  <AttributedCallerRow set={set} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

/** Shortens commits in a label, because whole ones would fill the screen of a phone. */
const setName = (label: string): string =>
  visibleName(label.replaceAll(/\b[0-9a-f]{40}\b/gu, shortCommit));

function Against({ set }: { set: GrowthSet }) {
  const { ratio, ratio_low: low, ratio_high: high } = set;
  if (ratio === null) return <span className="muted">–</span>;
  const certain = low !== null && high !== null && (low > 1 || high < 1);
  return (
    <span className={certain ? (ratio > 1 ? 'more' : 'less') : 'muted'}>
      {formatRatio(ratio)}{' '}
      {low !== null && high !== null && (
        <small className="muted">{formatRatioRange(low, high)}</small>
      )}
    </span>
  );
}

/** A cell with the attributed caller of most of a set's growths, and its share. */
function AttributedCallerRow({ set }: { set: GrowthSet }) {
  if (set.attributed_caller === null) return <td className="muted">–</td>;
  return (
    <td className={classes.caller} title={set.path.join(' › ') || set.attributed_caller}>
      <span className="mono">{visibleName(shortName(set.attributed_caller))}</span>{' '}
      <span className="muted">{set.share === null ? '' : formatShare(set.share)}</span>
    </td>
  );
}
