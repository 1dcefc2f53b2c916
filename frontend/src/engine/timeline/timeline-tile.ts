/**
 * Reads one tile of the timeline around a wait (`slowpath.trace-tile`): what ran on each P, with
 * start and end. Segments are sorted by P and start for binary search. Times are nanoseconds since
 * the first event of the trace; they are below 2^53 for a hundred days, so numbers are exact.
 */
import type { TileOccupant, TimelineTileHeader } from '../../api/api-types';
import { ColumnError, ColumnFile } from '../format/column-file';

/** No Go program is known to have more Ps; a tile with more is rejected. */
const PROCS_MAX = 1024;
const CLASSES_MAX = 65_536;

export type TraceTile = {
  index: number;
  level: number;
  number: number;
  /** The number of tiles of this level, and of the next finer one. */
  numbers: number;
  finer: number;
  startNs: number;
  endNs: number;
  waitStartNs: number;
  waitEndNs: number;
  waitProc: number;
  waitGoroutine: number;
  classes: TileOccupant[];
  /** Ps with segments, ascending, and the index of the first segment of each, plus the end. */
  procs: number[];
  procStart: Uint32Array;
  from: Float64Array;
  to: Float64Array;
  heldBy: Uint32Array;
  goroutine: Float64Array;
  /** The number of recorded segments that were merged into each segment. */
  merged: Uint32Array;
};

type Header = ColumnFile<TimelineTileHeader>['header'];

function numberIn(header: Header, name: keyof Header): number {
  const value = header[name];
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new ColumnError('bad-header', `The header's ${name} is not a number`);
}

function classesIn({ classes }: Header): TileOccupant[] {
  if (!Array.isArray(classes) || classes.length > CLASSES_MAX)
    throw new ColumnError('bad-header', 'The header lists no classes');
  return (classes as unknown[]).map((one) => {
    const { kind, group } = (one ?? {}) as { kind?: unknown; group?: unknown };
    return {
      kind: typeof kind === 'string' ? kind : 'unknown',
      group: typeof group === 'string' && group !== '' ? group : null,
    };
  });
}

/** @throws ColumnError if the data is not a complete tile or its segments contradict its header */
export function readTile(buffer: ArrayBuffer): TraceTile {
  const file = new ColumnFile<TimelineTileHeader>(buffer, 'slowpath.trace-tile');
  const { header } = file;
  const proc = file.column('segment_proc', 'u16');
  const length = proc.length;
  const starts = file.column('segment_start_ns', 'i64', length);
  const ends = file.column('segment_end_ns', 'i64', length);
  const classOf = file.column('segment_class', 'u32', length);
  const goroutines = file.column('segment_goroutine', 'u64', length);
  const mergedOf = file.column('segment_merged', 'u32', length);
  const classes = classesIn(header);

  const order = Uint32Array.from({ length }, (_, at) => at);
  order.sort(
    (a, b) =>
      proc[a]! - proc[b]! || (starts[a]! < starts[b]! ? -1 : starts[a]! > starts[b]! ? 1 : a - b),
  );
  const from = new Float64Array(length);
  const to = new Float64Array(length);
  const heldBy = new Uint32Array(length);
  const goroutine = new Float64Array(length);
  const merged = new Uint32Array(length);
  const procs: number[] = [];
  const procStart: number[] = [];
  for (let place = 0; place < length; place++) {
    const at = order[place]!;
    if (procs[procs.length - 1] !== proc[at]) {
      if (procs.length === PROCS_MAX)
        throw new ColumnError(
          'bad-column',
          'More Ps than can be drawn',
          PROCS_MAX,
          procs.length + 1,
        );
      procs.push(proc[at]!);
      procStart.push(place);
    }
    if (classOf[at]! >= classes.length)
      throw new ColumnError(
        'bad-column',
        'A segment is of a class that is not listed',
        classes.length,
        classOf[at],
      );
    from[place] = Number(starts[at]!);
    to[place] = Math.max(from[place]!, Number(ends[at]!));
    heldBy[place] = classOf[at]!;
    goroutine[place] = Number(goroutines[at]!);
    merged[place] = Math.max(1, mergedOf[at]!);
  }
  const startNs = numberIn(header, 'start_ns');
  const endNs = numberIn(header, 'end_ns');
  if (endNs <= startNs)
    throw new ColumnError('bad-header', 'The tile ends before it begins', startNs, endNs);
  return {
    index: numberIn(header, 'index'),
    level: numberIn(header, 'level'),
    number: numberIn(header, 'number'),
    numbers: numberIn(header, 'numbers'),
    finer: typeof header.finer === 'number' ? header.finer : 0,
    startNs,
    endNs,
    waitStartNs: numberIn(header, 'wait_start_ns'),
    waitEndNs: numberIn(header, 'wait_end_ns'),
    waitProc: numberIn(header, 'wait_proc'),
    waitGoroutine: numberIn(header, 'wait_goroutine'),
    classes,
    procs,
    procStart: Uint32Array.from([...procStart, length]),
    from,
    to,
    heldBy,
    goroutine,
    merged,
  };
}
