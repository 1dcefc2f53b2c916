/**
 * The details of a finding: both values, its contributions, and the paths to its attributed
 * callers.
 */
import type { ReactNode } from 'react';
import type { Finding } from '../../../../api';
import { normalizationPhrase } from '../../../../engine/format/change-wording';
import { formatDelta, formatShare, formatValue, unitOf } from '../../../../engine/format/format';
import { SideMark } from '../../../../ui';
import classes from './Findings.module.css';
import { partName, pathTo, shortName } from '../shared/comparison-wording';

type DetailProps = {
  finding: Finding;
  onShow: (path: string[]) => void;
  action?: ReactNode;
  /** The discussion of the finding, rendered by a higher feature. */
  discussion?: ReactNode;
};

export function FindingDetail({ finding, onShow, action, discussion }: DetailProps) {
  const unit = unitOf(finding.unit);
  const per = normalizationPhrase(unit);
  return (
    <div className={classes.detail}>
      <dl className={classes.facts}>
        <dt>
          <SideMark side="base" label />
        </dt>
        <dd>
          {formatValue(finding.base, unit)} {per}
        </dd>
        <dt>
          <SideMark side="candidate" label />
        </dt>
        <dd>
          {formatValue(finding.candidate, unit)} {per}
        </dd>
        <dt>difference</dt>
        <dd>
          {formatDelta(finding.change.difference, unit)} {per}
        </dd>
      </dl>
      <div className={classes.texts}>
        {finding.contributions.length > 0 && (
          <p className="t2">
            <b>Breakdown</b>{' '}
            {finding.contributions
              .map(
                ({ subject, share }) =>
                  `${partName(subject, finding.kind).text} ${formatShare(share)}`,
              )
              .join(', ')}
          </p>
        )}
      </div>
      {finding.attributed_callers.length > 0 && (
        <ol className={classes.callers} aria-label="Attributed to">
          {finding.attributed_callers.slice(0, 5).map((caller, index) => (
            <li key={index}>
              <button
                type="button"
                className="link"
                title={caller.function}
                onClick={() => onShow(pathTo(caller))}
              >
                <span className="mono">{shortName(caller.function)}</span>
              </button>{' '}
              <span className="muted">
                {formatDelta(caller.difference, unit)}
                {caller.entry && (
                  <>
                    {' '}
                    through <span className="mono">{shortName(caller.entry)}</span>
                  </>
                )}
              </span>
              {caller.path.length > 1 && (
                <p className={classes.path}>{caller.path.map(shortName).join(' › ')}</p>
              )}
            </li>
          ))}
        </ol>
      )}
      {action && <div className={classes.acts}>{action}</div>}
      {discussion && <div className={classes.discussion}>{discussion}</div>}
    </div>
  );
}
