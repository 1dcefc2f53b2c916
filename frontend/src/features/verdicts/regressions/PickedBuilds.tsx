/** The builds that were clicked in a series: the first and the second one can be compared. */
import type { ReactNode } from 'react';
import type { BuildSeriesPage } from '../../../api';
import { SideMark } from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import classes from './regressions.module.css';

export type ComparePair = (base: string, candidate: string, words: string) => ReactNode;

/** Removes a picked build or adds another one; a third one replaces the first. */
export const togglePick = (picked: string[], id: string): string[] =>
  picked.includes(id) ? picked.filter((each) => each !== id) : [...picked, id].slice(-2);

type PickedProps = {
  builds: BuildSeriesPage['builds'];
  picked: string[];
  link: (build_id: string, words: ReactNode) => ReactNode;
  compareLink: ComparePair;
  onClear: () => void;
};

export function PickedBuilds({ builds, picked, link, compareLink, onClear }: PickedProps) {
  // In the order of the series: the older one is the base.
  const [first, second] = builds.filter(({ id }) => picked.includes(id));
  if (!first)
    return (
      <p className={`${classes.chosen} muted`}>
        Click two builds, or press Enter on them, to compare them
      </p>
    );
  return (
    <p className={classes.chosen} aria-live="polite">
      <SideMark side="base" label={!!second} />
      <span className="mono">{link(first.id, shortCommit(first.commit))}</span>
      {second ? (
        <>
          <SideMark side="candidate" label />
          <span className="mono">{link(second.id, shortCommit(second.commit))}</span>
          {compareLink(first.id, second.id, 'Compare these builds')}
        </>
      ) : (
        <span className="muted">is picked. Click a second build to compare them.</span>
      )}
      <button type="button" className="link" onClick={onClear}>
        Clear
      </button>
    </p>
  );
}
