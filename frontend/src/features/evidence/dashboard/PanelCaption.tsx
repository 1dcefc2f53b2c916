/** Values above a panel, newest or at the cursor. Cursor moves write to the DOM directly. */
import { useEffect, useMemo, useRef } from 'react';
import type { Dashboard, QuantileId } from '../../../engine/dashboard/dashboard-file';
import { gapAt, lastWith } from '../../../engine/dashboard/dashboard-panel';
import { gapText, lastText } from '../../../engine/dashboard/dashboard-time';
import {
  latencyCaption,
  rateReader,
  type CaptionPart,
} from '../../../engine/dashboard/dashboard-wording';
import { spanOf } from '../../../engine/dashboard/time-grid';
import type { CursorBus } from '../../../engine/dashboard/cursor-bus';
import classes from './dashboard.module.css';

type PanelCaptionProps = { board: Dashboard; row: number; bus: CursorBus };

export function RateCaption({ board, row, bus }: PanelCaptionProps) {
  const series = board.series[row]!;
  const read = useMemo(() => rateReader(series, board.grid.points), [series, board.grid.points]);
  return (
    <PanelCaption
      name="Requests per second"
      board={board}
      row={row}
      bus={bus}
      panel="qps"
      newest={lastWith(read.total, board.grid.points - 1)}
      read={read.at}
    />
  );
}

type LatencyCaptionProps = PanelCaptionProps & {
  quantiles: readonly QuantileId[];
  /** Quantiles whose increase is marked. */
  increased: readonly string[];
  /** How the scale differs from that of the other rows; '' if it does not. */
  note?: string;
  noteTitle?: string;
};

export function LatencyCaption({
  board,
  row,
  bus,
  quantiles,
  increased,
  note = '',
  noteTitle,
}: LatencyCaptionProps) {
  const series = board.series[row]!;
  const read = useMemo(
    () => (index: number) => latencyCaption(series, quantiles, index),
    [series, quantiles],
  );
  const newest = Math.max(
    ...quantiles.map((id) => lastWith(series.latency[id], board.grid.points - 1)),
  );
  return (
    <PanelCaption
      name="Latency"
      board={board}
      row={row}
      bus={bus}
      panel="latency"
      newest={newest}
      read={read}
      strong={increased}
      note={note}
      noteTitle={noteTitle}
    />
  );
}

type InnerProps = PanelCaptionProps & {
  name: string;
  panel: 'qps' | 'latency';
  /** The index of the newest value; -1 if there is none. */
  newest: number;
  read: (index: number) => CaptionPart[];
  /** Parts in the color of an increase. */
  strong?: readonly string[];
  note?: string;
  noteTitle?: string;
};

function PanelCaption(props: InnerProps) {
  const { name, board, row, bus, panel, newest, read, strong = [], note = '', noteTitle } = props;
  const values = useRef<(HTMLElement | null)[]>([]);
  const why = useRef<HTMLSpanElement>(null);
  const which = useRef<HTMLSpanElement>(null);
  const { grid } = board;
  const gaps = board.rows[row]!.gaps;
  const parts = read(Math.max(0, newest));
  // If the newest value is old, its time is shown with it.
  const since = newest < 0 ? '' : lastText(grid, newest);
  useEffect(
    () =>
      bus.listen(({ index }) => {
        const at = index ?? newest;
        read(Math.max(0, at)).forEach(({ value, unit }, part) => {
          const element = values.current[part];
          const text = newest < 0 ? '–' : value + unit;
          if (element && element.textContent !== text) element.textContent = text;
        });
        const gap = index === null ? undefined : gapAt(gaps, panel, grid, index);
        const reason = index === null ? since : gap ? gapText(gap, spanOf(grid)) : '';
        if (why.current && why.current.textContent !== reason) why.current.textContent = reason;
        if (which.current) which.current.hidden = index !== null;
      }),
    [bus, read, newest, gaps, panel, grid, since],
  );
  return (
    <div className={classes.caption}>
      <span className={classes.narrowName}>{name}</span>
      <span ref={why} className={classes.why}>
        {since}
      </span>
      {note !== '' && (
        <span className={classes.why} title={noteTitle}>
          {note}
        </span>
      )}
      <span className="grow" />
      {newest >= 0 && (
        <span ref={which} className={classes.newest}>
          {parts.length > 1 ? 'newest values' : 'newest value'}
        </span>
      )}
      {parts.map((part, at) => (
        <span key={part.name}>
          {part.name !== '' && `${part.name} `}
          <b
            ref={(element) => {
              values.current[at] = element;
            }}
            className={strong.includes(part.name) ? 'more' : undefined}
          >
            {newest < 0 ? '–' : part.value + part.unit}
          </b>
        </span>
      ))}
    </div>
  );
}
