/** The chosen victim: how its waits grew by quantile, and who held the processors meanwhile. */
import { SegmentedControl } from '@mantine/core';
import { Suspense, lazy, useMemo, type Ref } from 'react';
import { formatShare, formatValue, visibleName } from '../../engine';
import { Paints, heldPhrase, type HeldPhrase } from '../../engine/held-by';
import { shortName } from '../../engine/short-name';
import { EmptyState, SkeletonRows } from '../../ui';
import { GoroutineProfiles, type GoroutineWays } from './GoroutineProfiles';
import classes from './traces.module.css';
import type { Blame, BlamePart, TraceDocument, Victim } from './types';
import { QUANTILES, type QuantileId, type TraceView } from './url';
import { QUANTILE_NAMES, QUANTILE_OF, changeAt, pointsOf, quantileOf } from './victim-rows';
import { VERDICTS, victimName } from './wording';

const ShiftPlot = lazy(async () => ({
  default: (await import('../../charts/shift/ShiftPlot')).ShiftPlot,
}));
const BlameBars = lazy(async () => ({
  default: (await import('../../charts/blame/BlameBars')).BlameBars,
}));
const SideKeys = lazy(async () => ({
  default: (await import('../../charts/plot/SideKeys')).SideKeys,
}));

type PanelsProps = {
  ref: Ref<HTMLElement>;
  told: TraceDocument;
  victim: Victim;
  view: TraceView;
  onView: (changed: Partial<TraceView>) => void;
  /** Opens the flame graph of a kind at a group, where the page has one. */
  flames: { kind: string; words: string; open: (group: string) => void }[];
  goroutines?: GoroutineWays;
};

export function VictimPanels(props: PanelsProps) {
  const { ref, told, victim, view, onView, flames, goroutines } = props;
  const single = told.sides.candidate === null;
  const shift = told.shift.find((one) => one.victim === victim.victim);
  const points = shift?.points.toSorted((a, b) => a.q - b.q) ?? pointsOf(victim);
  const blame = told.blame.find((one) => one.victim === victim.victim);
  const change = changeAt(victim, view.quantile);
  const tone =
    change === 'more' || change === 'only-candidate'
      ? 'more'
      : change === 'noise'
        ? 'noise'
        : 'less';
  return (
    <section
      ref={ref}
      tabIndex={-1}
      className={classes.pair}
      aria-label={`The group looked at: ${victimName(victim)}`}
    >
      <div>
        <h2 className={classes.head}>
          How long wakes wait, by quantile
          <span className="muted mono" title={victim.group}>
            {visibleName(victimName(victim))}
          </span>
          <span className="grow" />
          <Suspense fallback={null}>
            {!single && <SideKeys tone={tone} band={shift !== undefined} />}
          </Suspense>
        </h2>
        {points.length > 1 ? (
          <Suspense fallback={<SkeletonRows rows={8} height={28} label="Loading the plot" />}>
            <ShiftPlot
              points={points}
              told={{
                q: QUANTILE_OF[view.quantile],
                ratio: victim.change?.[view.quantile]?.ratio ?? null,
                low: victim.change?.[view.quantile]?.low ?? null,
                high: victim.change?.[view.quantile]?.high ?? null,
              }}
              tone={tone}
              single={single}
              label={spoken(victim, view.quantile, single)}
            />
          </Suspense>
        ) : (
          <EmptyState>
            Too few waits of this group to draw quantiles; choose another one below.
          </EmptyState>
        )}
        <div className={classes.links}>
          <SegmentedControl
            aria-label="Quantile"
            value={view.quantile}
            onChange={(quantile) => {
              onView({ quantile: quantile });
            }}
            data={QUANTILES.map((id) => ({ value: id, label: QUANTILE_NAMES[id] }))}
          />
          <Hidden victim={victim} single={single} />
        </div>
      </div>
      <div>
        <h2 className={classes.head}>
          Who held the Ps while it waited <span className="muted">P-time per wait</span>
        </h2>
        {blame ? (
          <BlamePanel blame={blame} victim={victim} single={single} />
        ) : (
          <EmptyState>
            Nobody can be named for this group: its waits are among the few that were added up.
          </EmptyState>
        )}
        {flames.length > 0 && (
          <p className={classes.links}>
            {flames.map(({ kind, words, open }) => (
              <button
                key={kind}
                type="button"
                className="link"
                onClick={() => {
                  open(victim.group);
                }}
              >
                {words}
              </button>
            ))}
          </p>
        )}
        {goroutines && <GoroutineProfiles told={told} group={victim.group} ways={goroutines} />}
      </div>
    </section>
  );
}

/** The plot in a sentence; the table below holds all numbers. */
function spoken(victim: Victim, quantile: QuantileId, single: boolean): string {
  const time = (ns: number | null) => (ns === null ? 'nothing' : formatValue(ns, 'ns'));
  const name = `${shortName(victim.group)}, ${victim.reason}`;
  const told = QUANTILES.map((id) => {
    const base = time(quantileOf(victim.base, id));
    return single
      ? `${QUANTILE_NAMES[id]} ${base}`
      : `${QUANTILE_NAMES[id]} ${base} in base, ${time(quantileOf(victim.candidate, id))} in candidate`;
  });
  return `Delays of ${name} by quantile, ${QUANTILE_NAMES[quantile]} marked: ${told.join('; ')}`;
}

/** How much longer a socket may have been ready before the runtime looked: not in the delays themselves. */
function Hidden({ victim, single }: { victim: Victim; single: boolean }) {
  const shown = single ? victim.base : (victim.candidate ?? victim.base);
  if (!shown?.hidden_p99_ns) return null;
  return (
    <span className="muted">
      The socket may have been ready up to {formatValue(shown.hidden_p99_ns, 'ns')} before Go
      noticed (p99): not in these numbers.
    </span>
  );
}

export const sharesOf = (blame: Blame) =>
  blame.parts.map((part) => ({
    kind: part.kind,
    group: part.group,
    base: part.base_ns_per_wait ?? 0,
    candidate: part.candidate_ns_per_wait ?? 0,
    low: part.low,
    high: part.high,
    isNew: part.new,
  }));

export function paintsOf(blame: Blame | undefined): Paints {
  return new Paints(
    (blame?.parts ?? []).map((part) => ({
      kind: part.kind,
      group: part.group,
      isNew: part.new,
      weight: Math.max(part.base_share ?? 0, part.candidate_share ?? 0),
    })),
  );
}

type Holder = HeldPhrase & { share: number };

const ofGc = ({ kind }: BlamePart): boolean =>
  kind === 'stw' || kind === 'user-assist' || kind.startsWith('gc-');

/** Who is told of first: what the verdict speaks of where it is the GC in all its parts, else who held most. */
export function mostBehind(
  blame: Blame,
  side: 'base_share' | 'candidate_share',
  verdict: string | null,
): Holder | null {
  if (verdict === 'gc') {
    const share = blame.parts.filter(ofGc).reduce((sum, part) => sum + (part[side] ?? 0), 0);
    return { lead: 'behind', name: 'the GC', share, code: false };
  }
  const first = blame.parts.toSorted((a, b) => (b[side] ?? 0) - (a[side] ?? 0))[0];
  if (!first) return null;
  const phrase = heldPhrase(first);
  return { ...phrase, name: visibleName(phrase.name), share: first[side] ?? 0 };
}

/** What the verdict means, where the share beside it says the same: "one group held most" needs most of the waiting. */
export function verdictClause({ share }: Holder, verdict: string | null): string {
  const known = verdict === null ? undefined : VERDICTS[verdict];
  if (!known) return '';
  const agrees = verdict === 'mixed' ? share < 0.5 : verdict === 'gc' || share >= 0.5;
  return agrees ? `: ${known.meaning}` : '';
}

function BlamePanel({ blame, victim, single }: { blame: Blame; victim: Victim; single: boolean }) {
  const shares = useMemo(() => sharesOf(blame), [blame]);
  const paints = useMemo(() => paintsOf(blame), [blame]);
  const side = single ? 'base_share' : 'candidate_share';
  const verdict = single ? victim.verdict_base : victim.verdict_candidate;
  const first = mostBehind(blame, side, verdict);
  return (
    <>
      <p className={classes.note}>
        Parts add up to the P-time of all waits.
        {first && first.share > 0 && (
          <>
            {' '}
            {formatShare(first.share)} of {single ? 'the' : 'candidate’s'} waiting is {first.lead}{' '}
            <span className={first.code ? 'mono' : undefined}>{first.name}</span>
            {verdictClause(first, verdict)}.
          </>
        )}
      </p>
      <Suspense fallback={<SkeletonRows rows={6} height={28} label="Loading the bars" />}>
        <BlameBars
          parts={shares}
          paints={paints}
          single={single}
          label={`Who held the processors while ${shortName(victim.group)} waited; the table below says it in numbers`}
        />
      </Suspense>
    </>
  );
}
