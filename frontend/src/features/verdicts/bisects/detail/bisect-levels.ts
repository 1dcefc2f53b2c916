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

/**
 * Returns the positions of the sent candidates of a level; -1 if not found. Of many candidates only
 * the probed and the most probable ones are sent, in commit order. A probe has the position of its
 * candidate; other candidates are found by posterior, of which the bars have three digits.
 */
export function placesOf({ candidates, bars }: BisectLevel): number[] {
  if (candidates.length === bars.posterior.length) return candidates.map((_, place) => place);
  const probed = new Map(bars.probes.map(([place, number]) => [number, place]));
  const taken = new Set(probed.values());
  let from = 0;
  return candidates.map(({ posterior, probe_number }) => {
    const own = probe_number === null ? undefined : probed.get(probe_number);
    if (own !== undefined) return own;
    const at = bars.posterior.findIndex(
      (bar, place) => place >= from && !taken.has(place) && isRounded(bar, posterior),
    );
    if (at >= 0) from = at + 1;
    return at;
  });
}

/** Returns whether a number is another one rounded to three digits, in either direction at half. */
function isRounded(rounded: number, exact: number): boolean {
  const digit = exact > 0 ? 10 ** (Math.floor(Math.log10(exact)) - 2) : 0;
  return Math.abs(rounded - exact) <= digit * 0.500001;
}

export const candidateAt = (level: BisectLevel, index: number): BisectCandidate | undefined =>
  level.candidates[placesOf(level).indexOf(index)];

export function chartLevels({ levels, probes }: Bisect): PosteriorChartLevel[] {
  const verdicts = new Map<number, Probe['verdict']>(
    probes.map(({ number, verdict }) => [number, verdict]),
  );
  return levels.map((level, at) => {
    const next = levels[at + 1];
    const opened = next ? level.candidates.findIndex(({ id }) => id === next.key) : -1;
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
      opened: placesOf(level)[opened] ?? null,
      best: best ? [suspectWords(best.posterior), shortCommit(best.sha)] : ['', ''],
      bump: next ? dependencyUpdateText(next.dependency_update) : null,
    };
  });
}

/** Returns the selected level, or the deepest one. */
export const shownLevel = ({ levels }: Bisect, key: string | null): BisectLevel | undefined =>
  levels.find((level) => level.key === key) ?? levels[levels.length - 1];
