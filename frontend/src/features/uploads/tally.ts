/** What became of all files of the drawer, counted and told in one line. Pure. */
import type { Artifact } from '../../api';
import { countOf } from '../../ui';
import type { TrayItem } from './state';

/** Whatever was decoded can be compared: profiles, traces, growth logs, benchmarks. */
export function isReady(artifact: Artifact): boolean {
  return artifact.state === 'decoded';
}

export type Tally = { words: string; foot: string; underWay: number };

type Fate = 'decoded' | 'under way' | 'refused' | 'stopped';

function fateOf(item: TrayItem, artifacts: Map<string, Artifact>): Fate {
  if (item.phase === 'stopped') return 'stopped';
  const artifact = item.artifactId ? artifacts.get(item.artifactId) : undefined;
  if (!artifact || artifact.state === 'received' || artifact.state === 'decoding')
    return 'under way';
  return artifact.state === 'decoded' ? 'decoded' : 'refused';
}

export function tallyOf(items: TrayItem[], artifacts: Map<string, Artifact>): Tally {
  const counts: Record<Fate, number> = { decoded: 0, 'under way': 0, refused: 0, stopped: 0 };
  for (const item of items) counts[fateOf(item, artifacts)] += 1;
  const parts = (Object.keys(counts) as Fate[])
    .filter((fate) => counts[fate] > 0)
    .map((fate) => `${counts[fate]} ${fate}`);
  const bad = counts.refused + counts.stopped;
  const word = counts.refused > 0 ? 'refused' : 'stopped';
  const foot =
    bad === 0
      ? ''
      : bad === 1
        ? `One ${word}; the rest is unharmed.`
        : `${bad} ${word}; the rest is unharmed.`;
  return {
    words: items.length === 0 ? '' : `${countOf(items.length, 'file')} · ${parts.join(', ')}`,
    foot: bad === items.length ? '' : foot,
    underWay: counts['under way'],
  };
}
