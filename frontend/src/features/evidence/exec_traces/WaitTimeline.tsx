/** The timeline of one wait: its coarse tile, finer tiles for the viewport, legend and table. */
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, lazy, useId, useMemo } from 'react';
import { formatCount, formatValue } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import {
  describeOccupantBriefly,
  describeOccupant,
  isNamed,
  keyOf,
  type OccupantPattern,
  type OccupantPatterns,
} from '../../../engine/timeline/p-occupancy';
import {
  tilesInView,
  viewportNs,
  type TimelineViewport,
} from '../../../engine/timeline/timeline-viewport';
import type { TileOccupant } from '../../../api';
import type { TraceTile } from '../../../engine/timeline/timeline-tile';
import { DataTable, ErrorState, KeyHint, SkeletonRows, countOf, type Column } from '../../../ui';
import { tileQuery } from './trace-queries';
import classes from './traces.module.css';
import type { LongestWait } from './trace-types';
import { bracketText, wakeText } from './trace-wording';

const Timeline = lazy(async () => ({
  default: (await import('../../../charts/timeline/Timeline')).Timeline,
}));
const PatternSwatch = lazy(async () => ({
  default: (await import('../../../charts/plot/PatternDefs')).PatternSwatch,
}));

type WaitProps = {
  wait: LongestWait;
  paints: OccupantPatterns;
  window: TimelineViewport;
  onWindow: (window: TimelineViewport) => void;
};

export function WaitTimeline({ wait, paints, window, onWindow }: WaitProps) {
  const { artifact, index } = wait;
  const coarse = useQuery(tileQuery({ artifact, index, level: 0, number: 0 }));
  if (coarse.error) {
    return (
      <ErrorState
        what="Could not load the timeline of this wait"
        error={coarse.error}
        action={
          <button type="button" className="link" onClick={() => void coarse.refetch()}>
            Try again
          </button>
        }
      />
    );
  }
  if (!coarse.data) return <SkeletonRows rows={9} height={18} label="Loading the timeline" />;
  return (
    <Drawn wait={wait} paints={paints} window={window} onWindow={onWindow} coarse={coarse.data} />
  );
}

/**
 * Loads finer tiles for the viewport. Which are wanted depends on those in the cache, so each
 * response may add others.
 */
function useFiner({ artifact, index }: LongestWait, coarse: TraceTile, window: TimelineViewport) {
  const client = useQueryClient();
  const known = Array.from({ length: coarse.finer }, (_, number) =>
    client.getQueryData(tileQuery({ artifact, index, level: 1, number }).queryKey),
  ).filter((tile) => tile !== undefined);
  const wanted = tilesInView(coarse, window, known);
  const pieces = useQueries({
    queries: wanted.map((number) => tileQuery({ artifact, index, level: 1, number })),
  });
  return {
    finer: pieces.map(({ data }) => data).filter((tile) => tile !== undefined),
    loading: pieces.some(({ isPending }) => isPending),
    error: pieces.find(({ error }) => error !== null)?.error ?? null,
  };
}

function Drawn(props: WaitProps & { coarse: TraceTile }) {
  const { wait, paints, window, onWindow, coarse } = props;
  const { finer, loading, error } = useFiner(wait, coarse, window);
  const finerKey = finer.map(({ number }) => number).join(' ');
  const tiles = useMemo(
    () => [coarse, ...finer],
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- tiles are identified by numbers; the list is always new
    [coarse, finerKey],
  );
  const legend = useMemo(() => legendOf(tiles, paints), [tiles, paints]);
  const zoomed = window.from > 0 || window.to < 1;
  return (
    <>
      <Suspense fallback={<SkeletonRows rows={9} height={18} label="Loading the timeline" />}>
        <Timeline
          tiles={tiles}
          window={window}
          onWindow={onWindow}
          paints={paints}
          bracket={bracketText(wait)}
          start={wakeText(wait)}
          end={`starts on P${wait.proc}`}
          label={`Timeline of the Ps around the wait: ${bracketText(wait)}. The table below lists its segments.`}
        />
        <Legend legend={legend} />
      </Suspense>
      <p className={classes.keys}>
        <KeyHint keys={['w', 's', 'a', 'd']}>zoom and pan</KeyHint>
        {zoomed && (
          <>
            {' · '}
            <button type="button" className="link" onClick={() => onWindow({ from: 0, to: 1 })}>
              the whole wait
            </button>
          </>
        )}
        <span aria-live="polite">
          {loading && ' · loading details'}
          {error && ` · could not load details: ${error.message}`}
        </span>
      </p>
      <SegmentsTable tiles={tiles} window={window} />
    </>
  );
}

type LegendEntry = { paint: OccupantPattern; text: string; whole: string; named: boolean };
const LEGEND_MOST = 9;
const SELF = 'the waiting goroutine';

/**
 * Returns the entries of the legend, longest time first; the runs of the waiting goroutine have a
 * separate pattern.
 */
function legendOf(tiles: readonly TraceTile[], paints: OccupantPatterns): LegendEntry[] {
  const weights = new Map<string, { held: TileOccupant; weight: number }>();
  for (const tile of tiles.slice(0, 1)) {
    for (let at = 0; at < tile.from.length; at++) {
      const held = tile.classes[tile.heldBy[at]!]!;
      const before = weights.get(keyOf(held));
      weights.set(keyOf(held), {
        held,
        weight: (before?.weight ?? 0) + tile.to[at]! - tile.from[at]!,
      });
    }
  }
  const heaviest = [...weights.values()].sort((a, b) => b.weight - a.weight).slice(0, LEGEND_MOST);
  return [
    ...heaviest.map(({ held }) => ({
      paint: paints.of(held),
      text: describeOccupantBriefly(held),
      whole: describeOccupant(held),
      named: isNamed(held),
    })),
    { paint: 'self', text: SELF, whole: SELF, named: false },
  ];
}

function Legend({ legend }: { legend: LegendEntry[] }) {
  const id = useId();
  return (
    <ul className={classes.legend} aria-label="P occupancy">
      {legend.map(({ paint, text, whole, named }) => (
        <li key={`${paint} ${whole}`} title={whole}>
          <PatternSwatch paint={paint} id={id} />
          <span className={named ? 'mono cut' : 'cut'}>{visibleName(text)}</span>
        </li>
      ))}
    </ul>
  );
}

type SegmentRow = { tile: TraceTile; at: number; proc: number };
const ROWS_MOST = 5000;
/** The number of segments in the table; zooming in shows the others. */
const LISTED_MOST = 140;

/** The timeline as a table, collapsed by default: the first segments of the viewport. */
function SegmentsTable({
  tiles,
  window,
}: {
  tiles: readonly TraceTile[];
  window: TimelineViewport;
}) {
  const rows = useMemo(() => segmentRows(tiles, window), [tiles, window]);
  const columns = useMemo((): Column<SegmentRow>[] => {
    const time = (ns: number) => formatValue(ns, 'ns');
    return [
      {
        id: 'who',
        head: 'Occupied by',
        mono: true,
        cell: ({ tile, at }) => {
          const held = tile.classes[tile.heldBy[at]!]!;
          return (
            <span title={describeOccupant(held)}>{visibleName(describeOccupantBriefly(held))}</span>
          );
        },
      },
      { id: 'proc', head: 'P', width: 44, align: 'right', cell: ({ proc }) => `P${proc}` },
      {
        id: 'from',
        head: 'Since wake-up',
        width: 104,
        align: 'right',
        cell: ({ tile, at }) => time(tile.from[at]! - tile.waitStartNs),
      },
      {
        id: 'long',
        head: 'Duration',
        width: 84,
        align: 'right',
        cell: ({ tile, at }) => time(tile.to[at]! - tile.from[at]!),
      },
      {
        id: 'goroutine',
        head: 'Goroutine',
        width: 90,
        align: 'right',
        cell: ({ tile, at }) => (tile.goroutine[at]! > 0 ? String(tile.goroutine[at]!) : '–'),
      },
      {
        id: 'runs',
        head: 'Runs',
        width: 54,
        align: 'right',
        cell: ({ tile, at }) => formatCount(tile.merged[at]!),
      },
    ];
  }, []);
  return (
    <details className={classes.details}>
      <summary>
        Timeline as a table:{' '}
        {rows.length === ROWS_MOST
          ? `${formatCount(rows.length)} or more segments`
          : countOf(rows.length, 'segment')}
      </summary>
      <div
        className={classes.waits}
        role="group"
        aria-label="Segments of the timeline"
        tabIndex={0}
      >
        <DataTable
          label="Segments of the timeline"
          columns={columns}
          rowCount={Math.min(rows.length, LISTED_MOST)}
          rowAt={(index) => rows[index]!}
          rowKey={({ tile, at }) => `${tile.level} ${tile.number} ${at}`}
          rowHeight={24}
          minWidth={640}
        />
      </div>
      {rows.length > LISTED_MOST && (
        <p className={classes.note}>The first {LISTED_MOST} are listed. Zoom in to list others.</p>
      )}
    </details>
  );
}

function segmentRows(tiles: readonly TraceTile[], window: TimelineViewport): SegmentRow[] {
  const coarse = tiles[0]!;
  const { from, to } = viewportNs(coarse, window);
  const covered = (time: number, level: number) =>
    tiles.some((tile) => tile.level > level && time >= tile.startNs && time < tile.endNs);
  const rows: SegmentRow[] = [];
  for (const tile of tiles) {
    for (const [row, proc] of tile.procs.entries()) {
      for (let at = tile.procStart[row]!; at < tile.procStart[row + 1]!; at++) {
        if (tile.to[at]! <= from || tile.from[at]! >= to || covered(tile.from[at]!, tile.level))
          continue;
        if (rows.length < ROWS_MOST) rows.push({ tile, at, proc });
      }
    }
  }
  return rows.sort((a, b) => a.tile.from[a.at]! - b.tile.from[b.at]! || a.proc - b.proc);
}
