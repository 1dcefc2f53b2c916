/** Patterns and names of the states of a goroutine during a gap. */
import type { OccupantPattern } from '../timeline/p-occupancy';

export type GoroutineState = 'running' | 'assist' | 'runnable' | 'blocked' | 'syscall' | 'unknown';

export const STATE_PATTERNS: Record<GoroutineState, OccupantPattern> = {
  running: 'self',
  assist: 'gc',
  runnable: 'culprit',
  blocked: 'others',
  syscall: 'syscall',
  unknown: 'unknown',
};

const WORDS: Record<GoroutineState, string> = {
  running: 'running',
  assist: 'working for the GC',
  runnable: 'waiting for a P',
  blocked: 'blocked',
  syscall: 'in a system call',
  unknown: 'unknown',
};

/** Words for the runtime's reasons why a goroutine waits; other reasons are shown unchanged. */
const REASONS: Record<string, string> = {
  'chan receive': 'receiving from a channel',
  'chan send': 'sending to a channel',
  sync: 'a lock or other synchronization',
  'sync.(*Cond).Wait': 'a condition variable',
  'GC mark assist wait for work': 'waiting for GC work',
  'wait until GC ends': 'waiting for a GC cycle to end',
};

/** Returns "blocked: receiving from a channel" or "waiting for a P, after: preempted". */
export function goroutineStateLabel({
  state,
  reason,
}: {
  state: GoroutineState;
  reason: string;
}): string {
  if (reason === '') return WORDS[state];
  if (state === 'runnable') return `${WORDS[state]}, after: ${REASONS[reason] ?? reason}`;
  return `${WORDS[state]}: ${REASONS[reason] ?? reason}`;
}
