/** What the traces' part says: names of groups, reasons and verdicts, and its sentences. Value in, words out. */
import { formatCount, formatShare, formatValue } from '../../engine';
import { heldByWords } from '../../engine/held-by';
import { shortName } from '../../engine/short-name';
import { countOf, durationText } from '../../ui';
import type { TraceSide, TraceTold, Victim, WorstWait } from './types';

export const VERDICTS: Record<string, { words: string; meaning: string }> = {
  hog: { words: 'behind a hog', meaning: 'one group held most of the processors during the waits' },
  herd: {
    words: 'behind a herd',
    meaning: 'many goroutines of one group ran shortly, one after the other',
  },
  gc: {
    words: 'behind the GC',
    meaning: 'GC workers, assists and pauses held a good part of the processors',
  },
  syscall: { words: 'behind syscalls', meaning: 'processors were held by goroutines in syscalls' },
  'wake-up': {
    words: 'late wake-up',
    meaning: 'processors were idle or looking for work: not starved, woken late',
  },
  netpoll: {
    words: 'late netpoll',
    meaning: 'the socket was ready long before the runtime looked',
  },
  mixed: { words: 'mixed', meaning: 'no group held most of the processors during the waits' },
};

export const verdictWords = (verdict: string | null): string =>
  verdict === null ? '–' : (VERDICTS[verdict]?.words ?? verdict.replaceAll('-', ' '));

/** How a goroutine became runnable, as it is said after "waits to run": "after a network wake", "when created". */
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

export const victimName = ({ group, reason }: Pick<Victim, 'group' | 'reason'>): string =>
  `${shortName(group)} · ${reason === '' ? 'any wake' : reason}`;

/** "group|reason" taken apart; a group may itself hold a bar, a reason never does. */
export function victimParts(victim: string): { group: string; reason: string } {
  const bar = victim.lastIndexOf('|');
  return bar < 0
    ? { group: victim, reason: '' }
    : { group: victim.slice(0, bar), reason: victim.slice(bar + 1) };
}

/** Conditions of one side, each a statement of its own. */
export function conditions(side: TraceSide): string[] {
  const { traces } = side;
  const processors = [...new Set(traces.map(({ gomaxprocs }) => gomaxprocs ?? null))].filter(
    (count) => count !== null,
  );
  const events = traces.reduce((sum, trace) => sum + trace.events, 0);
  const told = [
    `${countOf(traces.length, 'trace')} of ${durationText(side.duration_ns)}${traces.length > 1 ? ' together' : ''}`,
    processors.length > 0 ? `${processors.join(' or ')} Ps` : '',
    events > 0 ? countOf(events, 'event') : '',
    side.wakes_per_second === null
      ? ''
      : `${formatCount(Math.round(side.wakes_per_second))} wakes/s`,
    side.wait_seconds_per_second === null
      ? ''
      : `${formatValue(side.wait_seconds_per_second, 'count')} runnable on average`,
    traces.some(({ recording }) => recording === 'flight-recorder') ? 'flight recorder' : '',
  ];
  return told.filter((text) => text !== '');
}

/** "the last 1.2 s are lost, 3 % of the file": what of a file could not be read; null when it is whole. */
export function lostText({ name, lost }: Pick<TraceTold, 'name' | 'lost'>): string | null {
  if (!lost) return null;
  const share = lost.share === null ? '' : ` (${formatShare(lost.share)} of the file)`;
  return `${name}: ${lost.message}${share}`;
}

/** Warnings come as "slug: sentence"; the sentence is what a person reads. */
export const warningText = (warning: string): string => warning.replace(/^[a-z0-9-]+: /u, '');

/** What stands on the bracket of a wait. */
export function bracketText(wait: WorstWait): string {
  const parts = [`${formatValue(wait.duration_ns, 'ns')} runnable`];
  if (wait.overtakes) parts.push(`${countOf(wait.overtakes, 'other')} started first`);
  if (wait.queue_ahead !== null) parts.push(`queue position ${formatCount(wait.queue_ahead + 1)}`);
  return parts.join(' · ');
}

export function wakeText(wait: WorstWait): string {
  const { reason } = victimParts(wait.victim);
  if (wait.waker !== null && wait.waker !== '') return `woken by ${shortName(wait.waker)}`;
  if (reason === 'created' || reason === 'preempted') return reason;
  return reason === 'network' ? 'woken by netpoll' : 'woken by the runtime';
}

/** Who is first in the blame of a wait, with its share. */
export function behindText({
  blame,
  duration_ns,
}: WorstWait): { name: string; share: number } | null {
  const first = [...blame].sort((a, b) => b.ns - a.ns)[0];
  return first && duration_ns > 0
    ? { name: heldByWords(first), share: first.ns / duration_ns }
    : null;
}
