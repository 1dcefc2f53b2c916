/** The expected number of probes and duration, compared with git bisect, and the first probes. */
import type { PreflightOut } from '../../../../api';
import { Section, countOf } from '../../../../ui';
import { shortCommit } from '../../../../lib/commits';
import { posteriorText, secondsText } from '../shared/bisect-wording';
import classes from './start.module.css';

type Report = NonNullable<PreflightOut['report']>;
type Interval = NonNullable<Report['with_prior']>;

export function EstimatePanel({ preflight, slots }: { preflight: PreflightOut; slots: number }) {
  const { report } = preflight;
  if (!report?.with_prior || !report.without_prior) return null;
  const { boundary_check: ends } = preflight;
  const isRenewed = ends?.state === 'measured' || ends?.state === 'expired';
  return (
    <>
      <Section
        title="Estimate"
        aside={
          isRenewed
            ? 'what remains, from the candidates, the prior and the measured ends'
            : 'from the candidates, the prior and the usual noise of a probe'
        }
      >
        <p className={classes.estimate}>
          <span>
            <b>{Math.round(report.with_prior.mean)}</b> probes, {rangeText(report.with_prior)}
          </span>
          <span>
            <b>{secondsText(preflight.expected_seconds ?? 0)}</b> with {countOf(slots, 'slot')}
          </span>
          <span>
            <b>{Math.round(report.without_prior.mean)}</b> without prior
          </span>
        </p>
        <ProbeBars report={report} />
        <p className={`${classes.note} muted`}>
          {secondsText(preflight.probe_seconds)} per probe{durationText(preflight)} Dependencies are
          searched after this, if the culprit only updates one.
        </p>
      </Section>
      <FirstRound first={report.first_round} />
    </>
  );
}

/** Returns the source of the expected duration of a probe. */
function durationText({ duration_source: source, probes_seen: seen }: PreflightOut): string {
  switch (source) {
    case 'service':
      return `: the median of the last ${seen} of this service.`;
    case 'runner':
      return `: the median of the last ${seen} of the runners that are online, of other services.`;
    case 'configuration':
      return ', without the deployment: as long as the runners state that a measurement takes.';
    case 'settings':
      return ', without the deployment: no runner has timed one yet.';
  }
}

/** Formats an interval: "11 to 17". */
const rangeText = ({ low, high }: Interval): string => `${Math.round(low)} to ${Math.round(high)}`;

/** Shows the intervals on one axis of probes, with the number that git bisect needs. */
function ProbeBars({ report }: { report: Report }) {
  const { with_prior, without_prior, git_bisect_probes: git } = report;
  const most = Math.max(git, without_prior?.high ?? 0, with_prior?.high ?? 0) * 1.05;
  const at = (probes: number) => `${(100 * probes) / most}%`;
  const rows: { name: string; interval: Interval | null; mark: number }[] = [
    { name: 'with prior', interval: with_prior, mark: with_prior?.mean ?? 0 },
    { name: 'without prior', interval: without_prior, mark: without_prior?.mean ?? 0 },
    { name: 'git bisect, best of 5', interval: null, mark: git },
  ];
  return (
    <dl className={classes.bars} aria-label="Expected probes">
      {rows.map(({ name, interval, mark }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {interval && (
              <i style={{ left: at(interval.low), width: at(interval.high - interval.low) }} />
            )}
            <b style={{ left: at(mark) }} />
          </dd>
          <dd>{Math.round(mark)}</dd>
        </div>
      ))}
    </dl>
  );
}

function FirstRound({ first }: { first: Report['first_round'] }) {
  if (first.length === 0) return null;
  return (
    <Section title="First round" aside="highest information gain, once both boundaries are known">
      <table className={classes.first}>
        <tbody>
          {first.map(({ sha, title, prior }, index) => (
            <tr key={sha}>
              <td className="muted">slot {index + 1}</td>
              <td className="mono">{shortCommit(sha)}</td>
              <td>{title}</td>
              <td className="muted">suspicion {posteriorText(prior)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
