/** What stands in the way of comparing the profiles around a deploy, and how to get them here. */
import type { ReactNode } from 'react';
import { shortCommit } from '../../engine/board-words';
import { ErrorState } from '../../ui';
import classes from './board.module.css';
import type { SideOf } from './compare-around';
import type { Comparing } from './use-compare';

type ComparedProps = { compare: Comparing; filesLink: (words: string) => ReactNode };

export function Compared({ compare, filesLink }: ComparedProps) {
  const { error, missing } = compare;
  if (error)
    return (
      <div className={classes.inset}>
        <ErrorState what="The profiles could not be compared" error={error} />
      </div>
    );
  if (!missing) return null;
  const lacking = [missing.base, missing.candidate].filter(
    (side): side is SideOf => side !== null && side.artifacts.length === 0,
  );
  return (
    <div className={classes.doubt} role="status">
      <p>
        <b>Nothing to compare yet.</b>{' '}
        {missing.base === null
          ? 'No deploy of another build before it is known here.'
          : lacking.map((side, at) => (
              <span key={side.commit}>
                {at > 0 && ' '}
                Build <span className="mono">
                  {shortCommit(side.commit) || 'without a commit'}
                </span>{' '}
                has no profiles.
              </span>
            ))}
      </p>
      {lacking.map(({ commit, build_id }) => (
        <p key={commit}>
          <span className="muted">Send some with the build they are of: </span>
          <code className={classes.code}>
            curl -T cpu.pprof -H &quot;Authorization: Bearer $TOKEN&quot; &quot;
            {window.location.origin}/api/v1/artifacts/cpu.pprof
            {build_id === null ? '' : `?build_id=${build_id}`}&quot;
          </code>
        </p>
      ))}
      <p className="muted">
        Or drop files on the page and name their build in {filesLink('Files')}.
      </p>
    </div>
  );
}
