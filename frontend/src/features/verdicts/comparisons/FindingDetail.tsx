/** Why a finding probably happened, what usually helps, and on which paths it is paid. */
import type { ReactNode } from 'react';
import type { Finding } from '../../../api';
import { normalizationPhrase } from '../../../engine/format/change-wording';
import { formatDelta, formatShare, formatValue, unitOf } from '../../../engine/format/format';
import { SideMark } from '../../../ui';
import classes from './Findings.module.css';
import { partName, pathTo, shortName } from './comparison-wording';

type DetailProps = {
  finding: Finding;
  onShow: (path: string[]) => void;
  action?: ReactNode;
  /** Its discussion, from a higher feature. */
  talk?: ReactNode;
};

export function FindingDetail({ finding, onShow, action, talk }: DetailProps) {
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
        {finding.mechanism && (
          <p>
            <b>Cause</b> {finding.mechanism}
          </p>
        )}
        {finding.advice && (
          <p>
            <b>Suggested fix</b> {finding.advice}
          </p>
        )}
        {finding.by.length > 0 && (
          <p className="t2">
            <b>Breakdown</b>{' '}
            {finding.by
              .map(
                ({ subject, share }) =>
                  `${partName(subject, finding.kind).text} ${formatShare(share)}`,
              )
              .join(', ')}
          </p>
        )}
      </div>
      {finding.payers.length > 0 && (
        <ol className={classes.payers} aria-label="Attributed to">
          {finding.payers.slice(0, 5).map((payer, index) => (
            <li key={index}>
              <button
                type="button"
                className="link"
                title={payer.function}
                onClick={() => {
                  onShow(pathTo(payer));
                }}
              >
                <span className="mono">{shortName(payer.function)}</span>
              </button>{' '}
              <span className="muted">
                {formatDelta(payer.difference, unit)}
                {payer.entry && (
                  <>
                    {' '}
                    through <span className="mono">{shortName(payer.entry)}</span>
                  </>
                )}
              </span>
              {payer.path.length > 1 && (
                <p className={classes.path}>{payer.path.map(shortName).join(' › ')}</p>
              )}
            </li>
          ))}
        </ol>
      )}
      {action && <div className={classes.acts}>{action}</div>}
      {talk && <div className={classes.talk}>{talk}</div>}
    </div>
  );
}
