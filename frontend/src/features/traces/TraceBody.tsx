/** Everything that is told of traces, of two sides or of one: who waits to run, for how long, and behind whom. */
import { useRef } from 'react';
import { EmptyState, ProblemBoundary, countOf } from '../../ui';
import { Conditions } from './Conditions';
import { GcPanel } from './GcPanel';
import type { GoroutineWays } from './GoroutineProfiles';
import { GroupsTable } from './GroupsTable';
import { StatesPanel } from './StatesPanel';
import { VictimPanels } from './VictimPanels';
import { WorstWaits } from './WorstWaits';
import { useArrival, type Arrival } from './arrival';
import classes from './traces.module.css';
import type { TraceDocument } from './types';
import type { TraceView } from './url';
import { QUANTILE_NAMES, changedView, chosenVictim, chosenWait, isWeighty } from './victim-rows';

export type Flame = { kind: string; words: string; open: (group: string) => void };

type BodyProps = {
  told: TraceDocument;
  view: TraceView;
  onView: (view: TraceView) => void;
  flames: Flame[];
  /** The victim of the first finding: looked at until another is chosen. */
  first?: string;
  /** Goroutine profiles of the same builds; not where they stand in this comparison anyway. */
  goroutines?: GoroutineWays;
  /** Where a finding leads that was just chosen. */
  arrival?: Arrival | null;
  onArrived?: () => void;
};

const nothing = () => undefined;

export function TraceBody({
  told,
  view,
  onView,
  flames,
  first = '',
  goroutines,
  arrival = null,
  onArrived = nothing,
}: BodyProps) {
  const victim = chosenVictim(told, view.victim, first);
  const wait = chosenWait(told, view.wait, victim?.victim ?? '');
  const change = (changed: Partial<TraceView>) => {
    onView(changedView(view, changed, told));
  };
  const gcPanel = useRef<HTMLElement>(null);
  const victimPanel = useRef<HTMLElement>(null);
  const panels = { gc: gcPanel, victim: victimPanel };
  useArrival(arrival, isShown(arrival, told, victim?.victim), panels, onArrived);
  const single = told.sides.candidate === null;
  const marked = told.groups.filter((row) => row.state !== 'noise' && isWeighty(row)).length;
  return (
    <>
      <Conditions told={told} />
      {victim && (
        <ProblemBoundary what="This group can not be drawn" resetKey={victim.victim}>
          <VictimPanels
            ref={victimPanel}
            told={told}
            victim={victim}
            view={view}
            onView={change}
            flames={flames}
            goroutines={goroutines}
          />
        </ProblemBoundary>
      )}
      <section className={classes.section} aria-label="Groups and reasons">
        <h2 className={classes.head}>
          Wait to run, by goroutine group and wake reason
          <span className="muted">
            {countOf(told.groups.length, 'row')}
            {!single &&
              ` · base to candidate, ${marked === 0 ? 'none' : marked} beyond the noise · interval of ${QUANTILE_NAMES[view.quantile]}`}
          </span>
        </h2>
        {told.groups.length === 0 ? (
          <EmptyState>No goroutine waited to run while this was recorded.</EmptyState>
        ) : (
          <GroupsTable told={told} chosen={victim} view={view} onView={change} />
        )}
      </section>
      <ProblemBoundary what="The worst waits can not be drawn" resetKey={view.wait}>
        <WorstWaits told={told} victim={victim?.victim ?? ''} view={view} onView={change} />
      </ProblemBoundary>
      <GcPanel ref={gcPanel} told={told} />
      <ProblemBoundary what="The levels can not be drawn" resetKey={view.levels}>
        <StatesPanel told={told} wait={wait} view={view} onView={change} />
      </ProblemBoundary>
    </>
  );
}

/** Whether the page shows what a finding leads to; a victim that was not sent can not be waited for. */
function isShown(arrival: Arrival | null, told: TraceDocument, shown: string | undefined): boolean {
  if (arrival?.to !== 'victim' || arrival.victim === shown) return true;
  return !told.groups.some(({ victim }) => victim === arrival.victim);
}
