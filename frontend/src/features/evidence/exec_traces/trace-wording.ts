/** Texts of traces: names of groups, reasons and verdicts, and sentences. */
import { formatCount, formatShare, formatValue } from '../../../engine/format/format';
import { describeOccupant } from '../../../engine/timeline/p-occupancy';
import { shortName } from '../../../engine/format/short-function-name';
import { countOf, durationText } from '../../../ui';
import type { TraceSide, TraceMetadata, Waiter, LongestWait } from './trace-types';

const CPU_HOG = {
  words: 'CPU hog',
  meaning: 'one group occupied most of the Ps during the waits',
};
const THUNDERING_HERD = {
  words: 'thundering herd',
  meaning: 'many goroutines of one group ran briefly, one after another',
};

/** The name and meaning of each verdict; snapshots of earlier releases have `hog` and `herd`. */
export const VERDICTS: Record<string, { words: string; meaning: string }> = {
  'cpu-hog': CPU_HOG,
  hog: CPU_HOG,
  'thundering-herd': THUNDERING_HERD,
  herd: THUNDERING_HERD,
  gc: {
    words: 'GC',
    meaning: 'GC workers, assists and pauses occupied a large part of the Ps',
  },
  syscall: { words: 'syscalls', meaning: 'Ps were occupied by goroutines in syscalls' },
  'wake-up': {
    words: 'late wake-up',
    meaning: 'Ps were idle or searching for work: the goroutine was woken late',
  },
  netpoll: {
    words: 'netpoll delay',
    meaning: 'the socket was ready long before the runtime polled',
  },
  mixed: { words: 'mixed', meaning: 'no single group occupied the Ps for most of the wait time' },
};

export const verdictText = (verdict: string | null): string =>
  verdict === null ? '–' : (VERDICTS[verdict]?.words ?? verdict.replaceAll('-', ' '));

/** Describes how a goroutine became runnable: "after a wake from network", "when created". */
export function reasonPhrase(reason: string): string {
  switch (reason) {
    case 'created':
      return 'when created';
    case 'preempted':
      return 'after being preempted';
    case 'syscall exit':
      return 'after a syscall';
    case '':
      return 'after a wake';
    default:
      return `after a wake from ${reason}`;
  }
}

export const waiterName = ({ group, reason }: Pick<Waiter, 'group' | 'reason'>): string =>
  `${shortName(group)} · ${reason === '' ? 'any wake' : reason}`;

/** Splits "group|reason" at the last bar: a group may contain a bar, a reason does not. */
export function waiterParts(waiter: string): { group: string; reason: string } {
  const bar = waiter.lastIndexOf('|');
  return bar < 0
    ? { group: waiter, reason: '' }
    : { group: waiter.slice(0, bar), reason: waiter.slice(bar + 1) };
}

/** Returns the conditions of one side as separate statements. */
export function conditions(side: TraceSide): string[] {
  const { traces } = side;
  const processors = [...new Set(traces.map(({ gomaxprocs }) => gomaxprocs))];
  const events = traces.reduce((sum, trace) => sum + trace.events, 0);
  const parts = [
    `${countOf(traces.length, 'trace')} of ${durationText(side.duration_ns)}${traces.length > 1 ? ' together' : ''}`,
    processors.length > 0
      ? `${processors.join(' or ')} ${processors.join() === '1' ? 'P' : 'Ps'}`
      : '',
    events > 0 ? countOf(events, 'event') : '',
    `${formatCount(Math.round(side.wakes_per_second))} wakes/s`,
    `${formatValue(side.wait_seconds_per_second, 'count')} runnable on average`,
    traces.some(({ recording }) => recording === 'flight-recorder') ? 'flight recorder' : '',
  ];
  return parts.filter((text) => text !== '');
}

/** Describes what could not be read of a trace, with its share; null if all was read. */
export function unreadableRangeText({
  name,
  lost,
}: Pick<TraceMetadata, 'name' | 'lost'>): string | null {
  if (!lost) return null;
  return `${name}: ${lost.message} (${formatShare(lost.share)} of the file)`;
}

/** Returns the sentence of a warning without its "slug: ". */
export const warningText = (warning: string): string => warning.replace(/^[a-z0-9-]+: /u, '');

/** Returns the label of a wait's bracket on the timeline. */
export function bracketText(wait: LongestWait): string {
  const parts = [`${formatValue(wait.duration_ns, 'ns')} runnable`];
  if (wait.overtakes) parts.push(`${countOf(wait.overtakes, 'other')} started first`);
  parts.push(`queue position ${formatCount(wait.queue_ahead + 1)}`);
  return parts.join(' · ');
}

export function wakeText(wait: LongestWait): string {
  const { reason } = waiterParts(wait.waiter);
  if (wait.waker !== null && wait.waker !== '') return `woken by ${shortName(wait.waker)}`;
  if (reason === 'created' || reason === 'preempted') return reason;
  return reason === 'network' ? 'woken by netpoll' : 'woken by the runtime';
}

/** Returns the largest occupant during a wait, with its share. */
export function behindText({
  occupancy,
  duration_ns,
}: LongestWait): { name: string; share: number } | null {
  const first = [...occupancy].sort((a, b) => b.ns - a.ns)[0];
  return first && duration_ns > 0
    ? { name: describeOccupant(first), share: first.ns / duration_ns }
    : null;
}
