/** All sections of traces, of two sides or of one: scheduler latency, blocked time, GC, states. */
import { useRef } from 'react';
import { EmptyState, ProblemBoundary, countOf } from '../../../ui';
import { BlockedTime } from './BlockedTime';
import { RecordingConditions } from './RecordingConditions';
import { GcPanel } from './GcPanel';
import type { GoroutineWays } from './GoroutineProfiles';
import { GroupsTable } from './GroupsTable';
import { GoroutineStatesPanel } from './GoroutineStatesPanel';
import { WaiterPanels } from './WaiterPanels';
import { WorstWaits } from './WorstWaits';
import { useScrollToFinding, type FindingTarget } from './scroll-to-finding';
import classes from './traces.module.css';
import type { TraceDocument } from './trace-types';
import type { TraceView } from './trace-url';
import {
  QUANTILE_NAMES,
  changedView,
  selectedWaiter,
  selectedWait,
  isSubstantial,
} from './waiter-rows';

export type Flame = { kind: string; words: string; open: (group: string) => void };

type BodyProps = {
  data: TraceDocument;
  view: TraceView;
  onView: (view: TraceView) => void;
  flames: Flame[];
  /** The waiter of the first finding; selected by default. */
  first?: string;
  /** Goroutine profiles of the same builds; undefined if the comparison has some itself. */
  goroutines?: GoroutineWays;
  /** The target of the finding that was just selected. */
  arrival?: FindingTarget | null;
  onArrived?: () => void;
};

const nothing = () => undefined;

export function TraceBody({
  data,
  view,
  onView,
  flames,
  first = '',
  goroutines,
  arrival = null,
  onArrived = nothing,
}: BodyProps) {
  const waiter = selectedWaiter(data, view.waiter, first);
  const wait = selectedWait(data, view.wait, waiter?.waiter ?? '');
  const change = (changed: Partial<TraceView>) => onView(changedView(view, changed, data));
  const gcPanel = useRef<HTMLElement>(null);
  const waiterPanel = useRef<HTMLElement>(null);
  const blockedPanel = useRef<HTMLElement>(null);
  const panels = { gc: gcPanel, waiter: waiterPanel, blocked: blockedPanel };
  useScrollToFinding(arrival, isShown(arrival, data, waiter?.waiter), panels, onArrived);
  const single = data.sides.candidate === null;
  const marked = data.groups.filter((row) => row.state !== 'noise' && isSubstantial(row)).length;
  return (
    <>
      <RecordingConditions data={data} />
      {waiter && (
        <ProblemBoundary what="Could not draw this group" resetKey={waiter.waiter}>
          <WaiterPanels
            ref={waiterPanel}
            data={data}
            waiter={waiter}
            view={view}
            onView={change}
            flames={flames}
            goroutines={goroutines}
          />
        </ProblemBoundary>
      )}
      <section className={classes.section} aria-label="Groups and reasons">
        <h2 className={classes.head}>
          Scheduler latency by goroutine group and wake reason
          <span className="muted">
            {countOf(data.groups.length, 'row')}
            {!single &&
              ` · base to candidate, ${marked === 0 ? 'none' : marked} significant · interval of ${QUANTILE_NAMES[view.quantile]}`}
          </span>
        </h2>
        {data.groups.length === 0 ? (
          <EmptyState help="traces">No scheduler latency recorded.</EmptyState>
        ) : (
          <GroupsTable data={data} chosen={waiter} view={view} onView={change} />
        )}
      </section>
      <ProblemBoundary what="Could not draw the longest waits" resetKey={view.wait}>
        <WorstWaits data={data} waiter={waiter?.waiter ?? ''} view={view} onView={change} />
      </ProblemBoundary>
      <ProblemBoundary what="Could not draw the blocked time">
        <BlockedTime ref={blockedPanel} data={data} />
      </ProblemBoundary>
      <GcPanel ref={gcPanel} data={data} />
      <ProblemBoundary what="Could not draw the state series" resetKey={view.levels}>
        <GoroutineStatesPanel data={data} wait={wait} view={view} onView={change} />
      </ProblemBoundary>
    </>
  );
}

/**
 * Returns whether the page shows the target of a finding. A waiter that is not in the document
 * cannot be shown, so it counts as shown.
 */
function isShown(
  arrival: FindingTarget | null,
  data: TraceDocument,
  shown: string | undefined,
): boolean {
  if (arrival?.to !== 'waiter' || arrival.waiter === shown) return true;
  return !data.groups.some(({ waiter }) => waiter === arrival.waiter);
}
