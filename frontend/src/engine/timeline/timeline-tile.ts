/**
 * One tile of the timeline around a wait (`slowpath.trace-tile`): what ran on each processor, from when to when. Read once
 * and checked once; segments are put in order of processor and start, so that a window or a place is found by bisection.
 * Times are nanoseconds since the trace's first event: below 2^53 for a hundred days, so plain numbers hold them.
 */
import type { TileOccupant, TimelineTileHeader } from '../../api/api-types';
import { ColumnError, ColumnFile } from '../format/column-file';

/** As many processors as Go's scheduler was ever run with; a file that names more is not drawn. */
const PROCS_MAX = 1024;
const CLASSES_MAX = 65_536;

export type TraceTile = {
  index: number;
  level: number;
  number: number;
  /** How many pieces this level has, and how many the finer one. */
  numbers: number;
  finer: number;
  startNs: number;
  endNs: number;
  waitStartNs: number;
  waitEndNs: number;
  waitProc: number;
  waitGoroutine: number;
  classes: TileOccupant[];
  /** Processors that are named, ascending, and where the segments of each begin (one more at the end). */
  procs: number[];
  procStart: Uint32Array;
  from: Float64Array;
  to: Float64Array;
  heldBy: Uint32Array;
  goroutine: Float64Array;
  /** How many runs a drawn segment represents. */
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

/** @throws ColumnError when the bytes are not a whole tile, or its segments contradict its header. */
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
