/** One bisect: which commit, how sure, at what cost; every probe with its evidence; what may be done about it. */
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Bisect, BisectCandidate } from '../../api';
import { BeliefPath, CostBar, VerdictMark, type ProbeVerdict } from '../../charts';
import {
  ErrorState,
  LiveOnly,
  PageHead,
  Section,
  SideMark,
  SkeletonRows,
  StateGlyph,
  Time,
  countOf,
  useFrozen,
  useTitle,
} from '../../ui';
import { Events } from './Events';
import { LevelSection } from './LevelSection';
import { Probes } from './Probes';
import { Pruned } from './Pruned';
import { ReadingAhead } from './ReadingAhead';
import { RunnerHelp } from './RunnerHelp';
import { Steering } from './Steering';
import classes from './bisects.module.css';
import { candidateAt, chartLevels, shownLevel, type Picked } from './levels';
import { bisectQuery, candidateAtQuery } from './queries';
import { STATES, VERDICTS, beliefText, changeText, isOpen, secondsText, shortSha } from './wording';

export type BisectDetailProps = {
  id: string;
  back: ReactNode;
  mayWrite: boolean;
  /** Who may make the token that a runner signs in with. */
  team: { id: string; mayManage: boolean };
  links: {
    service: (service_id: string, words: ReactNode) => ReactNode;
    regression: (regression_id: string, words: ReactNode) => ReactNode;
    comparison: (comparison_id: string, words: ReactNode) => ReactNode;
    commit: (repository_id: string, sha: string, words: ReactNode) => ReactNode;
  };
  onOpenComparison: (comparison_id: string) => void;
  onDeleted: () => void;
  /** *Write the report*, from the storey that has reports. */
  report?: (bisect: Bisect) => ReactNode;
};

const KEYS: ProbeVerdict[] = ['slower', 'not-slower', 'cannot-tell', 'unbuildable'];

export default function BisectDetail(props: BisectDetailProps) {
  const bisect = useQuery(bisectQuery(props.id));
  useTitle(bisect.data ? `Bisect ${bisect.data.number}` : 'Bisect');
  if (bisect.error)
    return (
      <>
        <PageHead above={props.back} title="This bisect can not be shown" />
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
  const [chosen, setChosen] = useState<Picked | null>(null);
  const level = shownLevel(bisect, chosen?.level ?? null);
  const told = level && chosen ? (candidateAt(level, chosen.index) ?? chosen.candidate) : undefined;
  const frozen = useFrozen();
  const untold = useQuery({
    ...candidateAtQuery(bisect.id, chosen?.level ?? '', chosen?.index ?? 0),
    enabled: chosen !== null && level !== undefined && !told && !frozen,
  });
  const candidate = told ?? (chosen && untold.data) ?? undefined;
  return (
    <>
      <PageHead
        above={<Above bisect={bisect} back={back} links={links} />}
        title={bisect.sentence}
        sub={subOf(bisect)}
        actions={
          <>
            {!isOpen(bisect) && bisect.levels.length > 0 && report?.(bisect)}
            {mayWrite && (
              <Steering bisect={bisect} candidate={candidate ?? null} onDeleted={props.onDeleted} />
            )}
          </>
        }
      />
      <Trouble bisect={bisect} />
      <ReadingAhead bisect={bisect} />
      <LiveOnly>
        <RunnerHelp bisect={bisect} team={props.team} />
      </LiveOnly>
      {bisect.levels.length > 0 && (
        <Section>
          <Cost bisect={bisect} />
        </Section>
      )}
      {bisect.levels.length > 0 && (
        <Section
          title="Belief per candidate"
          aside="bars in the order of commits, the oldest left"
          controls={<Keys />}
        >
          <BeliefPath
            levels={chartLevels(bisect)}
            chosen={chosen}
            onChoose={setChosen}
            told={
              candidate
                ? `${shortSha(candidate.sha)} ${candidate.title}, ${beliefText(candidate.belief)}`
                : ''
            }
          />
          {candidate && <Pointed candidate={candidate} />}
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
        <Section title="Left out" aside="what can not have made it slower, and why">
          <Pruned levels={bisect.levels} />
        </Section>
      )}
      <Section title="History">
        <Events events={bisect.events} />
      </Section>
    </>
  );
}

/** The candidate whose bar was chosen, in words. */
function Pointed({ candidate }: { candidate: BisectCandidate }) {
  const { sha, title, belief, why, verdict } = candidate;
  return (
    <p className={classes.pointed} aria-live="polite">
      <span className="mono">{shortSha(sha)}</span> {title} <b>{beliefText(belief)}</b>{' '}
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
      <StateGlyph glyph={glyph}>{word}</StateGlyph>
      <span>
        <SideMark side="base" /> <span className="muted">good</span>{' '}
        <span className="mono">{shortSha(bisect.good.sha)}</span>{' '}
        {bisect.good.at && (
          <span className="muted">
            <Time at={bisect.good.at} />
          </span>
        )}
      </span>
      <span className="muted">to</span>
      <span>
        <SideMark side="candidate" /> <span className="muted">bad</span>{' '}
        <span className="mono">{shortSha(bisect.bad.sha)}</span>{' '}
        {bisect.bad.at && (
          <span className="muted">
            <Time at={bisect.bad.at} />
          </span>
        )}
      </span>
      <span className="muted">
        bisect {bisect.number} on <span className="t2">{bisect.signature.label}</span>
      </span>
      {links.service(bisect.service.id, bisect.service.name)}
      {bisect.regression && links.regression(bisect.regression.id, bisect.regression.title)}
      {bisect.comparison_id && links.comparison(bisect.comparison_id, 'its comparison')}
    </p>
  );
}

/** What it goes by, in one line. */
function subOf({ levels, culprit, settings, state }: Bisect): string {
  const chain = levels
    .slice(1)
    .flatMap(({ bump, module }) => (bump ? [`${module ?? bump.module} ${changeText(bump)}`] : []));
  const parts = [
    culprit?.title ? `“${culprit.title}”` : '',
    chain.length > 0 ? `reached through ${chain.join(', then ')}` : '',
    state === 'searching' || state === 'planned'
      ? `stops at ${Math.round((settings.belief ?? 0.95) * 1000) / 10} %, both the suspect and the build before it deployed`
      : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function Trouble({ bisect }: { bisect: Bisect }) {
  const problem = bisect.problem as { title?: string; detail?: string; remedy?: string } | null;
  if (!problem && bisect.state !== 'paused') return null;
  // The heading has said it.
  if (problem && !problem.remedy && bisect.sentence.includes(problem.detail ?? problem.title ?? ''))
    return null;
  return (
    <Section>
      {problem ? (
        <p role="alert">
          <b>{problem.title ?? 'The search can not go on.'}</b> {problem.detail} {problem.remedy}
        </p>
      ) : (
        <p role="status">
          <b>Paused.</b> {bisect.pause_reason} Nothing new is deployed until somebody resumes it.
        </p>
      )}
    </Section>
  );
}

function Cost({ bisect }: { bisect: Bisect }) {
  const { cost } = bisect;
  const { expected } = cost;
  const total = expected && {
    mean: cost.deploys + expected.mean,
    low: cost.deploys + expected.low,
    high: cost.deploys + expected.high,
  };
  const each = cost.deploys > 0 ? cost.seconds / cost.deploys : null;
  return (
    <div className={classes.cost}>
      <p>
        <b>{cost.deploys}</b> {cost.deploys === 1 ? 'deploy' : 'deploys'}
        {isOpen(bisect) && ' so far'}
        {cost.running > 0 && `, ${cost.running} running`}
      </p>
      {total && (
        <p>
          <b>{Math.round(total.mean)}</b> expected in all, {Math.floor(total.low)} to{' '}
          {Math.ceil(total.high)}
        </p>
      )}
      <p>
        <b>{cost.git_bisect_best_of_5}</b> plain git bisect, best of 5
      </p>
      <p>
        <b>{secondsText(cost.seconds)}</b>{' '}
        {isOpen(bisect) ? 'so far' : `in ${countOf(cost.rounds, 'round')}`}
        {expected && each !== null && `, about ${secondsText(expected.mean * each)} to go`}
      </p>
      <CostBar deploys={cost.deploys} expected={total} plain={cost.git_bisect_best_of_5} />
    </div>
  );
}

function Keys() {
  return (
    <span className={classes.keys} aria-hidden>
      {KEYS.map((verdict) => (
        <span key={verdict}>
          <VerdictMark verdict={verdict} /> {VERDICTS[verdict]}
        </span>
      ))}
    </span>
  );
}
