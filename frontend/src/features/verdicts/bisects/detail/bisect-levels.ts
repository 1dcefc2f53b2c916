/** The levels of a bisect, as the chart draws them. */
import type { Bisect, BisectCandidate, BisectLevel, Probe } from '../../../../api';
import type { PosteriorChartLevel, ChosenCandidate } from '../../../../charts';
import { shortCommit } from '../../../../lib/commits';
import {
  countsText,
  dependencyUpdateText,
  lastOf,
  suspectWords,
  versionText,
} from '../shared/bisect-wording';

/** The selection: a position in the chart, and the candidate there if it was sent. */
export type SelectedCandidate = ChosenCandidate & { candidate?: BisectCandidate };

export const nameOf = ({ module, repository }: BisectLevel): string => lastOf(module ?? repository);

/** Returns the position of a candidate among all of its level; -1 if it is not found. */
function placeOf(level: BisectLevel, candidate: BisectCandidate): number {
  if (level.candidates.length === level.bars.posterior.length)
    return level.candidates.indexOf(candidate);
  // Of many candidates only the most probable are sent, in commit order. Their positions are found
  // by posterior.
  let from = 0;
  for (const one of level.candidates) {
    const at = level.bars.posterior.indexOf(one.posterior, from);
    if (one === candidate) return at;
    if (at >= 0) from = at + 1;
  }
  return -1;
}

export function candidateAt(level: BisectLevel, index: number): BisectCandidate | undefined {
  if (level.candidates.length === level.bars.posterior.length) return level.candidates[index];
  return level.candidates.find((one) => placeOf(level, one) === index);
}

export function chartLevels({ levels, probes }: Bisect): PosteriorChartLevel[] {
  const verdicts = new Map<number, Probe['verdict']>(
    probes.map(({ number, verdict }) => [number, verdict]),
  );
  return levels.map((level, at) => {
    const next = levels[at + 1];
    const opened = next ? level.candidates.find(({ id }) => id === next.key) : undefined;
    const best = level.candidates.reduce<BisectCandidate | undefined>(
      (most, one) => (most && most.posterior >= one.posterior ? most : one),
      undefined,
    );
    return {
      key: level.key,
      name: nameOf(level),
      counts: countsText(level),
      belief: level.bars.posterior,
      before: level.bars.prior,
      marks: level.bars.probes.map(([place, number]) => ({
        place,
        verdict: verdicts.get(number) ?? 'measuring',
      })),
      ends: level.dependency_update
        ? [
            versionText(level.dependency_update.old_version),
            versionText(level.dependency_update.new_version),
          ]
        : [shortCommit(level.good), shortCommit(level.bad)],
      opened: opened ? placeOf(level, opened) : null,
      best: best ? [suspectWords(best.posterior), shortCommit(best.sha)] : ['', ''],
      bump: next ? dependencyUpdateText(next.dependency_update) : null,
    };
  });
}

/** Returns the selected level, or the deepest one. */
export const shownLevel = ({ levels }: Bisect, key: string | null): BisectLevel | undefined =>
  levels.find((level) => level.key === key) ?? levels[levels.length - 1];
