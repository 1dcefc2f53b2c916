/**
 * Names and patterns of the occupants of Ps while a goroutine waited. Each pattern has a distinct
 * color and hatching, so no two differ by color alone. A waiter's occupants have the same patterns
 * in the bars, the timeline and their legends. The heaviest goroutine groups get separate hues; the
 * others share one and are labeled by name.
 */
import { shortName } from '../format/short-function-name';
import type { TileOccupant } from '../../api/api-types';

export const PATTERNS = [
  'culprit', // a group that is new in candidate, or the CPU hog
  'user1',
  'user2',
  'user3',
  'others',
  'gc',
  'stop',
  'syscall',
  'runtime',
  'idle',
  'unknown',
  'self', // the goroutine that waited
] as const;
export type OccupantPattern = (typeof PATTERNS)[number];

export type WeightedOccupant = TileOccupant & { weight: number; isNew: boolean };

const USER_PAINTS: OccupantPattern[] = ['user1', 'user2', 'user3'];
const isUser = (kind: string): boolean => kind === 'user' || kind === 'user-sweep';

const OCCUPANT_LABELS: Record<string, string> = {
  stw: 'stop-the-world',
  'gc-dedicated': 'GC workers',
  'gc-fractional': 'GC workers, fractional',
  'gc-idle': 'GC workers on idle Ps',
  runtime: 'runtime',
  scheduler: 'scheduler, netpoll',
  idle: 'idle P',
  unknown: 'unknown',
};

/** Returns the full name of an occupant: "main.tick", "GC workers", "main.serve, in a syscall". */
export function describeOccupant({ kind, group }: TileOccupant): string {
  switch (kind) {
    case 'user':
      return group ?? 'goroutines';
    case 'user-assist':
      return `${group ?? 'goroutines'}, assisting the GC`;
    case 'user-sweep':
      return `${group ?? 'goroutines'}, sweeping`;
    case 'syscall':
      return group ? `${group}, in a syscall` : 'in a syscall';
    case 'runtime':
      return group ?? 'runtime';
    default:
      return OCCUPANT_LABELS[kind] ?? kind;
  }
}

/** Returns the name of {@link describeOccupant} without the folders of the package. */
export const describeOccupantBriefly = (held: TileOccupant): string =>
  shortName(describeOccupant(held));

/** The words after "waits" or "of the waiting is": "behind main.tick", "while a P was idle". */
export type OccupancyPhrase = { lead: 'behind' | 'while'; name: string; code: boolean };

export function occupancyPhrase(held: TileOccupant): OccupancyPhrase {
  const behind = (name: string): OccupancyPhrase => ({ lead: 'behind', name, code: isNamed(held) });
  switch (held.kind) {
    case 'idle':
      return { lead: 'while', name: 'a P was idle', code: false };
    case 'scheduler':
      return { lead: 'while', name: 'a P searched for work', code: false };
    case 'stw':
      return behind('a stop-the-world pause');
    case 'unknown':
      return behind('unknown work');
    case 'syscall':
      return held.group === null ? behind('system calls') : behind(describeOccupantBriefly(held));
    case 'runtime':
      return held.group === null ? behind('the runtime') : behind(describeOccupantBriefly(held));
    default:
      return behind(describeOccupantBriefly(held));
  }
}

/** Returns whether an occupant has the name of a goroutine group, which is shown in a code font. */
export function isNamed({ kind, group }: TileOccupant): boolean {
  return (
    group !== null &&
    (isUser(kind) || kind === 'user-assist' || kind === 'syscall' || kind === 'runtime')
  );
}

export const keyOf = ({ kind, group }: TileOccupant): string => `${kind}|${group ?? ''}`;

function kindPaint(kind: string): OccupantPattern {
  if (kind === 'user-assist' || kind.startsWith('gc-')) return 'gc';
  switch (kind) {
    case 'stw':
      return 'stop';
    case 'syscall':
      return 'syscall';
    case 'runtime':
    case 'scheduler':
      return 'runtime';
    case 'idle':
      return 'idle';
    default:
      return 'unknown';
  }
}

/** Patterns by occupant. A goroutine group has the same pattern when it runs and when it sweeps. */
export class OccupantPatterns {
  readonly #groups = new Map<string, OccupantPattern>();

  /**
   * Assigns separate patterns to the heaviest groups; the heaviest new group gets `culprit`.
   * @param classes occupants with their weights
   */
  constructor(classes: readonly WeightedOccupant[]) {
    const weights = new Map<string, { weight: number; isNew: boolean }>();
    for (const { kind, group, weight, isNew } of classes) {
      if (!isUser(kind)) continue;
      const before = weights.get(group ?? '');
      weights.set(group ?? '', {
        weight: (before?.weight ?? 0) + weight,
        isNew: isNew || (before?.isNew ?? false),
      });
    }
    const heaviest = [...weights].sort((a, b) => b[1].weight - a[1].weight);
    const culprit = heaviest.find(([, { isNew }]) => isNew)?.[0];
    let hue = 0;
    for (const [group] of heaviest) {
      if (group === culprit) this.#groups.set(group, 'culprit');
      else this.#groups.set(group, USER_PAINTS[hue++] ?? 'others');
    }
  }

  of({ kind, group }: TileOccupant): OccupantPattern {
    if (!isUser(kind)) return kindPaint(kind);
    return this.#groups.get(group ?? '') ?? 'others';
  }
}
