/** Counts the files of the upload drawer by outcome. */
import type { Artifact } from '../../../api';
import { countOf } from '../../../ui';
import type { TrayItem } from './tray-types';

/** Every decoded artifact can be compared: profiles, traces, growth logs, benchmarks. */
export function isReady(artifact: Artifact): boolean {
  return artifact.state === 'decoded';
}

export type UploadSummary = { words: string; foot: string; underWay: number };

type Fate = 'decoded' | 'in progress' | 'rejected' | 'stopped';

function fateOf(item: TrayItem, artifacts: Map<string, Artifact>): Fate {
  if (item.phase === 'stopped') return 'stopped';
  const artifact = item.artifactId ? artifacts.get(item.artifactId) : undefined;
  if (!artifact || artifact.state === 'received' || artifact.state === 'decoding')
    return 'in progress';
  return artifact.state === 'decoded' ? 'decoded' : 'rejected';
}

export function summarizeUploads(
  items: TrayItem[],
  artifacts: Map<string, Artifact>,
): UploadSummary {
  const counts: Record<Fate, number> = { decoded: 0, 'in progress': 0, rejected: 0, stopped: 0 };
  for (const item of items) counts[fateOf(item, artifacts)] += 1;
  const parts = (Object.keys(counts) as Fate[])
    .filter((fate) => counts[fate] > 0)
    .map((fate) => `${counts[fate]} ${fate}`);
  return {
    words: items.length === 0 ? '' : `${countOf(items.length, 'file')} · ${parts.join(', ')}`,
    foot: footOf(counts, items.length),
    underWay: counts['in progress'],
  };
}

/**
 * Describes failed files, such as "2 rejected, 1 stopped; the others are unaffected."; '' if none
 * or all failed.
 */
function footOf(counts: Record<Fate, number>, total: number): string {
  const others = total - counts.rejected - counts.stopped;
  if (others === 0 || others === total) return '';
  const bad = (['rejected', 'stopped'] as const).filter((fate) => counts[fate] > 0);
  const words =
    total - others === 1
      ? `One ${bad.join()}`
      : bad.map((fate) => `${counts[fate]} ${fate}`).join(', ');
  return `${words}; ${others === 1 ? 'the other is' : 'the others are'} unaffected.`;
}
