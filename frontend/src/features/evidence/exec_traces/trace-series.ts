/** The series that are drawn together, with their names and units. */
import type { SeriesOfTrace } from './trace-types';
import type { LevelSet } from './trace-url';

export type Line = {
  name: string;
  unit: string;
  mean: (number | null)[];
  min: (number | null)[] | null;
  max: (number | null)[] | null;
};

export const LEVEL_LABELS: Record<LevelSet, { title: string; aside: string }> = {
  runnable: { title: 'Runnable goroutines', aside: 'mean, with minimum and maximum per bin' },
  running: { title: 'Running and in syscalls', aside: 'goroutines, mean with minimum and maximum' },
  waiting: { title: 'Waiting goroutines', aside: 'by what they wait for' },
  processors: { title: 'Processors', aside: 'Ps idle, and in GC' },
  heap: { title: 'Heap', aside: 'live heap and GC goal' },
  events: { title: 'Events per second', aside: 'preemptions, retaken syscalls, network wakes' },
};

const SETS: Record<LevelSet, { column: string; name: string }[]> = {
  runnable: [{ column: 'runnable', name: 'runnable' }],
  running: [
    { column: 'running', name: 'running' },
    { column: 'syscall', name: 'in a syscall' },
  ],
  waiting: [
    { column: 'waiting_sync', name: 'channels and locks' },
    { column: 'waiting_network', name: 'network' },
    { column: 'waiting_sleep', name: 'sleep' },
    { column: 'waiting_gc', name: 'GC' },
    { column: 'waiting_other', name: 'other' },
  ],
  processors: [
    { column: 'procs_idle', name: 'idle' },
    { column: 'procs_gc', name: 'in GC' },
  ],
  heap: [
    { column: 'heap_live', name: 'live' },
    { column: 'heap_goal', name: 'goal' },
  ],
  events: [
    { column: 'preemptions', name: 'preemptions' },
    { column: 'retakes', name: 'retaken syscalls' },
    { column: 'network_wakes', name: 'network wakes' },
    { column: 'created', name: 'goroutines created' },
  ],
};

/** Returns the lines of a set that a trace has. Counts per bin become counts per second. */
export function linesOf(series: SeriesOfTrace, set: LevelSet): Line[] {
  return SETS[set].flatMap(({ column, name }): Line[] => {
    const values = Object.hasOwn(series.columns, column) ? series.columns[column] : undefined;
    if (values === undefined) return [];
    if (!Array.isArray(values))
      return [
        {
          name,
          unit: set === 'heap' ? 'bytes' : 'count',
          mean: values.mean,
          min: null,
          max: values.max,
        },
      ];
    const perSecond = 1e9 / series.bin_ns;
    return [
      {
        name,
        unit: 'count/s',
        mean: values.map((value) => value * perSecond),
        min: null,
        max: null,
      },
    ];
  });
}

/** Returns the end of an axis that fits all lines. */
export function largestOf(lines: readonly Line[]): number {
  let largest = 0;
  for (const { mean, max } of lines) {
    for (const value of max ?? mean) if (value !== null && value > largest) largest = value;
  }
  return largest * 1.05;
}
