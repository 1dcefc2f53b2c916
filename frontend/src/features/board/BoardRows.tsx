/** The rows of the board on one time axis. Widths are measured once for all panels; what a row draws is made once a board. */
import { Button } from '@mantine/core';
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { TimeAxis, useTokens, useWidth, type PlotPlace } from '../../charts/board';
import { logLatencyScale } from '../../engine/board-scale';
import { QUANTILES, type Board, type BoardRow, type QuantileId } from '../../engine/board-file';
import { spanOf } from '../../engine/board-time';
import type { CursorBus } from '../../engine/cursor-bus';
import { ErrorState, LiveOnly } from '../../ui';
import { BoardRowView } from './BoardRowView';
import { LatencyKeys, RateKeys } from './Keys';
import classes from './board.module.css';
import type { BoardView } from './url';
import { useOrder, type Order } from './use-order';
import { useRows } from './use-rows';

export const PANEL_PX = 111;
export const GAUGE_PX = 44;
/** Of a row that is shown alone. */
const LARGE_PX = 260;

type RowsProps = {
  board: Board;
  view: BoardView;
  bus: CursorBus;
  /** What is shown is of before: the new one is on its way. */
  stale: boolean;
  mayWrite: boolean;
  onChange: (changed: Partial<BoardView>) => void;
  onBrush: (fromMs: number, toMs: number, service: BoardRow['service']) => void;
  onDeploy: (id: string) => void;
  onNote: (id: string) => void;
  onOrdered: () => Promise<unknown>;
  /** What else can be done with a row. */
  action?: (service: BoardRow['service']) => ReactNode;
};

/** From the service map to a row: what the address names is scrolled into sight, once. */
function useAskedRow(): void {
  useEffect(() => {
    const asked = window.location.hash.slice(1);
    if (asked.startsWith('service-'))
      document.getElementById(asked)?.scrollIntoView({ block: 'center' });
  }, []);
}

export function BoardRows(props: RowsProps) {
  const { board, view, bus, stale, mayWrite, onChange, onBrush, onDeploy, onNote } = props;
  const host = useRef<HTMLDivElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const widthPx = useWidth(axis, 0);
  const tokens = useTokens(host);
  const order = useOrder(board, props.onOrdered);
  const [focused, setFocused] = useState(0);
  const { quantiles, instances, scale } = view;
  useLayoutEffect(() => {
    bus.resize(board.grid.points);
  }, [bus, board]);
  useEscape(bus);
  useAskedRow();
  const alone = order.rows.filter((row) => board.rows[row]!.service.id === view.alone);
  const rows = alone.length > 0 ? alone : order.rows;
  const heightPx = alone.length > 0 ? LARGE_PX : PANEL_PX;
  const ids = rows.map((row) => board.rows[row]!.service.id);
  const more = useRows(list, board, ids, view, stale);
  const span = useMemo(() => spanOf(board.grid), [board]);
  const place: PlotPlace = useMemo(() => ({ widthPx, heightPx, span }), [widthPx, heightPx, span]);
  const shared = useMemo(
    () =>
      scale === 'log'
        ? logLatencyScale(board.series, withMeans(board, quantiles), instances)
        : null,
    [board, quantiles, instances, scale],
  );
  const toRow = (at: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, at));
    setFocused(next);
    const row = list.current?.children[next];
    // A row that waits is brought into sight, and has its cursor when it has come.
    row?.scrollIntoView({ block: 'nearest' });
    row?.querySelector<HTMLElement>('[role=slider]')?.focus();
  };
  const below = (at: number) => rows.slice(at + 1).map((row) => board.rows[row]!.service);
  return (
    <div ref={host} className={classes.board} data-stale={stale || undefined}>
      <ColumnHeads
        board={board}
        order={order}
        view={view}
        onChange={onChange}
        mayWrite={mayWrite}
      />
      <Asides board={board} />
      {order.error && (
        <div className={classes.inset}>
          <ErrorState compact what="The order was not kept" error={order.error} />
        </div>
      )}
      {more.error && (
        <div className={classes.inset}>
          <ErrorState
            compact
            what="The rows further down could not be read"
            error={more.error}
            action={<Button onClick={more.again}>Try again</Button>}
          />
        </div>
      )}
      <ol ref={list} aria-label="Services in request-flow order">
        {rows.map((row, at) => (
          <BoardRowView
            key={board.rows[row]!.service.id}
            board={board}
            row={row}
            at={at}
            below={below(at)}
            view={view}
            shared={shared}
            place={place}
            tokens={tokens}
            bus={bus}
            tabIndex={at === Math.min(focused, rows.length - 1) ? 0 : -1}
            order={mayWrite && rows.length > 1 ? order : null}
            acts={
              <RowActs
                service={board.rows[row]!.service}
                alone={alone.length > 0}
                onAlone={(id) => {
                  onChange({ alone: id });
                }}
                more={props.action?.(board.rows[row]!.service)}
              />
            }
            onRow={(by) => {
              toRow(at + by);
            }}
            onBrush={onBrush}
            onDeploy={onDeploy}
            onNote={onNote}
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
        {order.told}
      </p>
    </div>
  );
}

type ActsProps = {
  service: BoardRow['service'];
  alone: boolean;
  onAlone: (id: string) => void;
  more: ReactNode;
};

/** A row shown alone and large, and what others do with it. Not in a report, whose rows stay as they are. */
function RowActs({ service, alone, onAlone, more }: ActsProps) {
  return (
    <LiveOnly>
      <p className={classes.rowActs} data-alone={alone || undefined}>
        <button
          type="button"
          className="link"
          aria-label={alone ? 'Show all services' : `Show ${service.name} alone`}
          onClick={() => {
            onAlone(alone ? '' : service.id);
          }}
        >
          {alone ? 'all services' : 'alone'}
        </button>
        {more}
      </p>
    </LiveOnly>
  );
}

/** What the rows do not tell: why nothing is compared. */
function Asides({ board }: { board: Board }) {
  return board.againstWhy ? <p className={`${classes.aside} muted`}>{board.againstWhy}</p> : null;
}

/** The mean counts for the shared scale where a service knows nothing else. */
const withMeans = (board: Board, quantiles: QuantileId[]): QuantileId[] =>
  quantiles.includes('mean') || board.rows.every(({ latency }) => latency.histogram !== 'mean')
    ? quantiles
    : [...quantiles, 'mean'];

/** Escape lets go of a cursor that keys have set, wherever the focus is. */
function useEscape(bus: CursorBus): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape') bus.move(null);
    };
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('keydown', press);
    };
  }, [bus]);
}

const SOURCES: Record<Board['orderSource'], string> = {
  hand: 'Ordered by hand',
  spans: 'In request-flow order',
  name: 'By name',
};

type HeadsProps = Pick<RowsProps, 'board' | 'view' | 'onChange' | 'mayWrite'> & { order: Order };

function ColumnHeads({ board, order, view, onChange, mayWrite }: HeadsProps) {
  const withMean = board.series.some(({ latency }) => latency.mean !== null);
  const withInstances = board.rows.some(({ instances }) => (instances ?? 0) > 1);
  const toggle = (id: QuantileId) => {
    const next = QUANTILES.filter((each) =>
      each === id ? !view.quantiles.includes(id) : view.quantiles.includes(each),
    );
    if (next.length > 0) onChange({ quantiles: next });
  };
  return (
    <div className={classes.cols}>
      <span>
        {SOURCES[order.source]}
        {order.source === 'hand' && mayWrite && (
          <button type="button" className={`link ${classes.reset}`} onClick={order.reset}>
            from spans
          </button>
        )}
      </span>
      <span className={classes.colHead}>
        Requests per second
        <span className="grow" />
        <RateKeys
          other={board.series.some(({ qps }) => qps.other !== null)}
          against={board.against}
        />
      </span>
      <span className={classes.colHead}>
        Latency
        <span className="grow" />
        <LatencyKeys
          shown={view.quantiles}
          mean={withMean}
          onToggle={toggle}
          instances={withInstances ? view.instances : null}
          onInstances={() => {
            onChange({ instances: !view.instances });
          }}
        />
      </span>
    </div>
  );
}
