/** The headline of the page: how many probes in what time find the commit. */
import type { BisectSettings, PreflightOut } from '../../../../api';
import { countOf, countText } from '../../../../ui';
import { posteriorText, secondsText } from '../shared/bisect-wording';
import type { ChosenEnd } from './start-request';
import classes from './start.module.css';

type Props = {
  preflight: PreflightOut | undefined;
  good: ChosenEnd | null;
  bad: ChosenEnd | null;
};

export function StartSentence({ preflight, good, bad }: Props) {
  if (!good || !bad) return <>Choose a good and a bad commit</>;
  const between = (
    <>
      the commit between <span className="mono">{good.name}</span> and{' '}
      <span className="mono">{bad.name}</span>
    </>
  );
  const expected = preflight?.report?.with_prior;
  if (!expected || preflight.expected_seconds === null) return <>Find {between}</>;
  return (
    <>
      Expected:{' '}
      <span className={classes.answer}>
        {countOf(Math.round(expected.mean), 'probe')} in {secondsText(preflight.expected_seconds)}
      </span>{' '}
      to find {between}
    </>
  );
}

/**
 * Returns "131 candidates in 4,342 commits · stops at 95% probability, ... · git bisect, best of 5,
 * needs 80 probes".
 */
export function startDetails(preflight: PreflightOut | undefined, settings: BisectSettings) {
  const stops = `stops at ${posteriorText(settings.stop_probability ?? 0.95).replace('.0', '')} probability, then verifies the culprit against its first parent`;
  if (preflight?.is_running) return `counting the candidates · ${stops}`;
  const report = preflight?.report;
  if (!report?.with_prior) return stops;
  return [
    `${countOf(report.classes, 'candidate')} in ${countText(report.commits)} commits`,
    stops,
    `git bisect, best of 5, needs ${report.git_bisect_probes} probes`,
  ].join(' · ');
}
