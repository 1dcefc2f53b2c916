/** The rows of the dashboard on one time axis. The width is measured once for all panels. */
import { Button } from '@mantine/core';
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import { TimeAxis, useTokens, useWidth, type PlotArea } from '../../../charts/dashboard';
import type { HeightScale } from '../../../engine/dashboard/dashboard-scale';
import type { Dashboard, DashboardRow } from '../../../engine/dashboard/dashboard-file';
import { spanOf } from '../../../engine/dashboard/time-grid';
import type { CursorBus } from '../../../engine/dashboard/cursor-bus';
import { ErrorState, HiddenInSnapshot } from '../../../ui';
import { ColumnHeads } from './ColumnHeads';
import { DashboardRowView } from './DashboardRowView';
import classes from './dashboard.module.css';
import type { DashboardView } from './dashboard-url';
import { useBudgets, useEventsOfChanges, type EventOfChange } from './panel-annotations';
import { latencyScales } from './panel-markers';
import { SplitMenu } from './SplitMenu';
import { usePanelHeights, type PanelHeights } from './use-panel-heights';
import { ORDER_LABELS, useServiceOrder } from './use-service-order';
import { useVisibleRows } from './use-visible-rows';

export type RowAction = (service: DashboardRow['service'], environmentId: string) => ReactNode;

type RowsProps = {
  board: Dashboard;
  view: DashboardView;
  bus: CursorBus;
  /** Whether the dashboard is that of the previous view, shown until the response arrives. */
  stale: boolean;
  mayWrite: boolean;
  onChange: (changed: Partial<DashboardView>) => void;
  onBrush: (fromMs: number, toMs: number, service: DashboardRow['service']) => void;
  onDeploy: (id: string) => void;
  onNote: (id: string) => void;
  onOrdered: () => Promise<unknown>;
  /** Returns a link to the production event of a change point. */
  eventLink?: EventLink;
  /** Returns more actions for a row. */
  action?: RowAction;
};

/** Scrolls once to the row that the URL's fragment names, as in links of the service map. */
function useLinkedRow(): void {
  useEffect(() => {
    const asked = window.location.hash.slice(1);
    if (asked.startsWith('service-'))
      document.getElementById(asked)?.scrollIntoView({ block: 'center' });
  }, []);
}

/** Returns the plot areas: of the headline's row, and of all other rows. */
function usePlaces(board: Dashboard, widthPx: number, { usual, affected }: PanelHeights) {
  const span = useMemo(() => spanOf(board.grid), [board]);
  const place: PlotArea = useMemo(
    () => ({ widthPx, heightPx: usual, span }),
    [widthPx, usual, span],
  );
  const large: PlotArea = useMemo(
    () => ({ widthPx, heightPx: affected, span }),
    [widthPx, affected, span],
  );
  return { place, large };
}

/** Returns the latency scale of each row; null = all are linear, from zero to their maximum. */
function useLatencyScales(
  board: Dashboard,
  { quantiles, instances, scale }: DashboardView,
): readonly HeightScale[] | null {
  return useMemo(
    () => latencyScales(board, quantiles, instances, scale),
    [board, quantiles, instances, scale],
  );
}

export function DashboardRows(props: RowsProps) {
  const { board, view, bus, stale, mayWrite, onChange, onBrush, onDeploy, onNote } = props;
  const host = useRef<HTMLDivElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const widthPx = useWidth(axis, 0);
  const tokens = useTokens(host);
  const order = useServiceOrder(board, props.onOrdered);
  const budgets = useBudgets(board.environment?.id ?? '');
  const stepLink = useStepLink(board, props.eventLink);
  const [focused, setFocused] = useState(0);
  useLayoutEffect(() => bus.resize(board.grid.points), [bus, board]);
  useEscape(bus);
  useLinkedRow();
  const alone = order.rows.filter((row) => board.rows[row]!.service.id === view.alone);
  const rows = alone.length > 0 ? alone : order.rows;
  const services = rows.map((row) => board.rows[row]!.service);
  const ids = services.map(({ id }) => id);
  const more = useVisibleRows(list, board, ids, view, stale);
  const affectedId = alone.length > 0 ? view.alone : (board.headline?.service_id ?? null);
  const shown = rows.map((row) => board.rows[row]!);
  const heights = usePanelHeights(list, shown, affectedId, alone.length > 0);
  const { place, large } = usePlaces(board, widthPx, heights);
  const scales = useLatencyScales(board, view);
  const toRow = (at: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, at));
    setFocused(next);
    const row = list.current?.children[next];
    // A row that is not loaded is only scrolled into view; it has a slider once it is loaded.
    row?.scrollIntoView({ block: 'nearest' });
    row?.querySelector<HTMLElement>('[role=slider]')?.focus();
  };
  return (
    <div ref={host} className={classes.board} data-stale={stale || undefined}>
      <ColumnHeads
        board={board}
        order={order}
        view={view}
        onChange={onChange}
        mayWrite={mayWrite}
      />
      {board.againstReason && <p className={`${classes.aside} muted`}>{board.againstReason}</p>}
      <RowsProblem what="Could not save the service order" error={order.error} />
      <RowsProblem what="Could not load more services" error={more.error} retry={more.again} />
      <ol ref={list} aria-label={`Services ${ORDER_LABELS[order.source].toLowerCase()}`}>
        {rows.map((row, at) => (
          <DashboardRowView
            key={ids[at]}
            board={board}
            row={row}
            at={at}
            below={services.slice(at + 1)}
            view={view}
            shared={scales?.[row] ?? null}
            place={ids[at] === affectedId ? large : place}
            tokens={tokens}
            bus={bus}
            tabIndex={at === Math.min(focused, rows.length - 1) ? 0 : -1}
            order={mayWrite && rows.length > 1 ? order : null}
            actions={
              <RowActions
                service={services[at]!}
                alone={alone.length > 0}
                split={
                  <SplitMenu
                    row={shown[at]!}
                    split={view.split}
                    onSplit={(split) => onChange({ split })}
                  />
                }
                onAlone={(id) => onChange({ alone: id })}
                more={props.action?.(services[at]!, board.environment?.id ?? '')}
              />
            }
            onRow={(by) => toRow(at + by)}
            onBrush={onBrush}
            onDeploy={onDeploy}
            onNote={onNote}
            budgets={budgets}
            stepLink={stepLink}
          />
        ))}
      </ol>
      <div className={classes.axisRow}>
        <div />
        <div ref={axis}>
          <TimeAxis bus={bus} grid={board.grid} place={place} />
        </div>
        <div className={classes.secondAxis}>
          <TimeAxis bus={bus} grid={board.grid} place={place} />
        </div>
      </div>
      <p className="unseen" aria-live="polite">
        {order.announcement}
      </p>
    </div>
  );
}

type EventLink = (event: EventOfChange, words: string) => ReactNode;

/** Returns a function that links to the event of a change point, or returns null if it has none. */
function useStepLink(board: Dashboard, eventLink: EventLink | undefined) {
  const eventOf = useEventsOfChanges(board);
  return useCallback(
    (changeId: string) => {
      const event = eventOf(changeId);
      return event && eventLink ? eventLink(event, `Event ${event.number}`) : null;
    },
    [eventOf, eventLink],
  );
}

type ProblemProps = { what: string; error: Error | null; retry?: () => void };

function RowsProblem({ what, error, retry }: ProblemProps) {
  if (!error) return null;
  return (
    <div className={classes.inset}>
      <ErrorState
        compact
        what={what}
        error={error}
        action={retry && <Button onClick={retry}>Try again</Button>}
      />
    </div>
  );
}

type ActionsProps = {
  service: DashboardRow['service'];
  alone: boolean;
  onAlone: (id: string) => void;
  split: ReactNode;
  more: ReactNode;
};

/**
 * Actions of a row: show it alone and larger, split it, and those of other features. Hidden in a
 * snapshot, whose rows do not change.
 */
function RowActions({ service, alone, onAlone, split, more }: ActionsProps) {
  return (
    <HiddenInSnapshot>
      <div className={classes.rowActs} data-alone={alone || undefined}>
        <button
          type="button"
          className="link"
          aria-label={alone ? 'Show all services' : `Show ${service.name} alone`}
          onClick={() => onAlone(alone ? '' : service.id)}
        >
          {alone ? 'all services' : 'only this'}
        </button>
        {split}
        {more}
      </div>
    </HiddenInSnapshot>
  );
}

/** Clears the cursor when Escape is pressed, wherever the focus is. */
function useEscape(bus: CursorBus): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape') bus.move(null);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [bus]);
}
