/**
 * The page of one bisect: the commit, its probability and the cost; every probe with its evidence;
 * the actions on it.
 */
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Bisect, BisectCandidate } from '../../../../api';
import {
  ChartPicture,
  PosteriorChart,
  DeploymentCostBar,
  VerdictIcon,
  type ProbeVerdict,
} from '../../../../charts';
import {
  countOf,
  ErrorState,
  HiddenInSnapshot,
  PageHeader,
  Section,
  SideMark,
  SkeletonRows,
  StateIcon,
  Timestamp,
  useIsSnapshot,
  useTitle,
} from '../../../../ui';
import { Likelihood } from '../../../../ui/Likelihood';
import { Terms } from '../../../../ui/Terms';
import { shortCommit } from '../../../../lib/commits';
import { BisectHistory } from './BisectHistory';
import type { CommitMember } from '../../../inventory/repositories';
import { CulpritCompilation } from './CulpritCompilation';
import { CulpritPeople } from './CulpritPeople';
import { Experiments } from '../experiments/Experiments';
import { LevelSection } from './LevelSection';
import { Probes } from './Probes';
import { PrunedCommits } from './PrunedCommits';
import { PlanProgress } from './PlanProgress';
import { RunnerHelp } from '../runners/RunnerHelp';
import { SearchRest } from './SearchRest';
import { BisectActions } from './BisectActions';
import classes from '../shared/bisects.module.css';
import { candidateAt, chartLevels, shownLevel, type SelectedCandidate } from './bisect-levels';
import { bisectQuery, candidateAtQuery } from '../shared/bisect-queries';
import {
  STATES,
  VERDICTS,
  posteriorText,
  changeText,
  isOpen,
  secondsText,
} from '../shared/bisect-wording';

export type BisectDetailProps = {
  id: string;
  back: ReactNode;
  mayWrite: boolean;
  /** The team, and whether the user can create the token with which a runner signs in. */
  team: { id: string; mayManage: boolean };
  links: {
    service: (service_id: string, words: ReactNode) => ReactNode;
    regression: (regression_id: string, words: ReactNode) => ReactNode;
    comparison: (comparison_id: string, words: ReactNode) => ReactNode;
    commit: (repository_id: string, sha: string, words: ReactNode) => ReactNode;
  };
  onOpenComparison: (comparison_id: string) => void;
  onDeleted: () => void;
  /** Opens another bisect. */
  onOpenBisect: (bisect_id: string) => void;
  /** *Write the report*, rendered by a higher feature. */
  report?: (bisect: Bisect) => ReactNode;
  /** Returns the actions on one of the people of the culprit. */
  personAction?: (person: CommitMember) => ReactNode;
};

const KEYS: ProbeVerdict[] = ['slower', 'not-slower', 'inconclusive', 'unbuildable'];

export default function BisectDetail(props: BisectDetailProps) {
  const bisect = useQuery(bisectQuery(props.id));
  useTitle(bisect.data ? `Bisect ${bisect.data.number}` : 'Bisect');
  if (bisect.error)
    return (
      <>
        <PageHeader above={props.back} title="Could not load the bisect" />
        <Section>
          <ErrorState error={bisect.error} />
        </Section>
      </>
    );
  if (!bisect.data)
    return (
      <Section>
        <SkeletonRows rows={8} />
      </Section>
    );
  return <Shown {...props} bisect={bisect.data} />;
}

function Shown(props: BisectDetailProps & { bisect: Bisect }) {
  const { bisect, back, mayWrite, links, report } = props;
  const [chosen, setChosen] = useState<SelectedCandidate | null>(null);
  const level = shownLevel(bisect, chosen?.level ?? null);
  const known =
    level && chosen ? (candidateAt(level, chosen.index) ?? chosen.candidate) : undefined;
  const frozen = useIsSnapshot();
  const unknown = useQuery({
    ...candidateAtQuery(bisect.id, chosen?.level ?? '', chosen?.index ?? 0),
    enabled: chosen !== null && level !== undefined && !known && !frozen,
  });
  const candidate = known ?? (chosen && unknown.data) ?? undefined;
  return (
    <>
      <PageHeader
        above={<Above bisect={bisect} back={back} links={links} />}
        title={bisect.sentence}
        sub={subOf(bisect)}
        actions={
          <>
            {!isOpen(bisect) && bisect.levels.length > 0 && report?.(bisect)}
            {mayWrite && <SearchRest bisect={bisect} onOpen={props.onOpenBisect} />}
            {mayWrite && (
              <BisectActions
                bisect={bisect}
                candidate={candidate ?? null}
                onDeleted={props.onDeleted}
              />
            )}
          </>
        }
      />
      <Trouble bisect={bisect} />
      <PlanProgress bisect={bisect} />
      <CulpritPeople bisect={bisect} commit={links.commit} action={props.personAction} />
      <HiddenInSnapshot>
        <RunnerHelp bisect={bisect} team={props.team} />
      </HiddenInSnapshot>
      <CulpritCompilation compiler={bisect.compiler} comparisonLink={links.comparison} />
      <Experiments bisect={bisect} mayWrite={mayWrite} />
      {bisect.levels.length > 0 && (
        <Section>
          <Cost bisect={bisect} />
        </Section>
      )}
      {bisect.levels.length > 0 && (
        <Section
          title="Probability per candidate"
          aside="bars in commit order, oldest on the left"
          controls={<Keys />}
        >
          <ChartPicture name="probability per candidate">
            <PosteriorChart
              levels={chartLevels(bisect)}
              chosen={chosen}
              onChoose={setChosen}
              description={
                candidate
                  ? `${shortCommit(candidate.sha)} ${candidate.title}, ${posteriorText(candidate.posterior)}`
                  : ''
              }
            />
          </ChartPicture>
          {candidate && <Pointed candidate={candidate} />}
          <Terms names={['posterior probability', 'confidence interval', 'inconclusive']} />
        </Section>
      )}
      {bisect.probes.length > 0 && (
        <Probes bisect={bisect} mayWrite={mayWrite} onOpenComparison={props.onOpenComparison} />
      )}
      {level && (
        <LevelSection
          bisect={bisect}
          level={level}
          candidate={candidate}
          onPick={setChosen}
          commit={links.commit}
        />
      )}
      {bisect.levels.length > 0 && (
        <Section title="Excluded commits" aside="commits that cannot be the cause, with the reason">
          <PrunedCommits levels={bisect.levels} />
        </Section>
      )}
      <Section title="History">
        <BisectHistory events={bisect.events} />
      </Section>
    </>
  );
}

/** Shows the candidate whose bar was selected. */
function Pointed({ candidate }: { candidate: BisectCandidate }) {
  const { sha, title, posterior: belief, reason: why, verdict } = candidate;
  return (
    <p className={classes.pointed} aria-live="polite">
      <span className="mono">{shortCommit(sha)}</span> {title}{' '}
      <Likelihood probability={belief} text={posteriorText(belief)} />{' '}
      <span className="muted">{[why, verdict && VERDICTS[verdict]].filter(Boolean).join(' ')}</span>
    </p>
  );
}

function Above({
  bisect,
  back,
  links,
}: {
  bisect: Bisect;
  back: ReactNode;
  links: BisectDetailProps['links'];
}) {
  const [glyph, word] = STATES[bisect.state];
  return (
    <p className={classes.above}>
      {back}
      <StateIcon glyph={glyph}>{word}</StateIcon>
      <span>
        <SideMark side="base" /> <span className="muted">good</span>{' '}
        <span className="mono">{shortCommit(bisect.good.sha)}</span>{' '}
        {bisect.good.at && (
          <span className="muted">
            <Timestamp at={bisect.good.at} />
          </span>
        )}
      </span>
      <span className="muted">to</span>
      <span>
        <SideMark side="candidate" /> <span className="muted">bad</span>{' '}
        <span className="mono">{shortCommit(bisect.bad.sha)}</span>{' '}
        {bisect.bad.at && (
          <span className="muted">
            <Timestamp at={bisect.bad.at} />
          </span>
        )}
      </span>
      <span className="muted">
        bisect {bisect.number} on <span className="t2">{bisect.signature.label}</span>
      </span>
      {links.service(bisect.service.id, bisect.service.name)}
      {bisect.regression && links.regression(bisect.regression.id, bisect.regression.title)}
      {bisect.comparison_id && links.comparison(bisect.comparison_id, 'comparison')}
    </p>
  );
}

/** Returns a line with the dependency updates to the suspect and the condition to stop. */
function subOf({ levels, settings, state }: Bisect): string {
  const chain = levels
    .slice(1)
    .flatMap(({ dependency_update, module }) =>
      dependency_update
        ? [`${module ?? dependency_update.module} ${changeText(dependency_update)}`]
        : [],
    );
  const parts = [
    chain.length > 0 ? `reached through ${chain.join(', then ')}` : '',
    state === 'searching' || state === 'planned'
      ? `stops at ${Math.round((settings.stop_probability ?? 0.95) * 1000) / 10}%, after deploying the suspect and the build before it`
      : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function Trouble({ bisect }: { bisect: Bisect }) {
  const { problem, expires_at } = bisect;
  if (!problem && bisect.state !== 'paused') return null;
  // The heading already contains it.
  if (problem && !problem.resolution && bisect.sentence.includes(problem.detail)) return null;
  return (
    <Section>
      {problem ? (
        <p role="alert">
          <b>{problem.title}</b> {problem.detail} {problem.resolution}
        </p>
      ) : (
        <p role="status">
          No new deployments until it is {expires_at === null ? 'resumed' : 'continued'}.
          {expires_at !== null && (
            <>
              {' '}
              It is discarded on <Timestamp at={expires_at} exact /> unless it is continued. For as
              long again, a later bisect of the same ends uses its measurements.
            </>
          )}
        </p>
      )}
    </Section>
  );
}

function Cost({ bisect }: { bisect: Bisect }) {
  const { cost } = bisect;
  const { expected_probes } = cost;
  const total = expected_probes && {
    mean: cost.deployments + expected_probes.mean,
    low: cost.deployments + expected_probes.low,
    high: cost.deployments + expected_probes.high,
  };
  const each = cost.seconds_per_deployment;
  return (
    <div className={classes.cost}>
      <p>
        <b>{cost.deployments}</b> {cost.deployments === 1 ? 'deployment' : 'deployments'}
        {isOpen(bisect) && ' so far'}
        {cost.running > 0 && `, ${cost.running} running`}
      </p>
      {total && expected_probes.mean > 0 && (
        <p>
          <b>{Math.round(total.mean)}</b> expected in total, {Math.floor(total.low)} to{' '}
          {Math.ceil(total.high)}
        </p>
      )}
      <p>
        <b>{cost.git_bisect_best_of_5_probes}</b> plain git bisect, best of 5
      </p>
      <p>
        <b>{secondsText(cost.seconds)}</b>{' '}
        {isOpen(bisect) ? 'so far' : `in ${countOf(cost.rounds, 'round')}`}
        {expected_probes &&
          expected_probes.mean > 0 &&
          each !== null &&
          `, about ${secondsText(expected_probes.mean * each)} to go`}
      </p>
      <DeploymentCostBar
        deploys={cost.deployments}
        expected={total}
        plain={cost.git_bisect_best_of_5_probes}
      />
    </div>
  );
}

function Keys() {
  return (
    <span className={classes.keys} aria-hidden>
      {KEYS.map((verdict) => (
        <span key={verdict}>
          <VerdictIcon verdict={verdict} /> {VERDICTS[verdict]}
        </span>
      ))}
    </span>
  );
}
