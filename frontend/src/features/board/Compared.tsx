/** What stands in the way of comparing the profiles around a deploy, and how to get them here. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Board } from '../../engine/board-file';
import { shortCommit } from '../../engine/board-words';
import { ErrorState } from '../../ui';
import classes from './board.module.css';
import type { SideOf } from './compare-around';
import type { Comparing } from './use-compare';

type ComparedProps = {
  compare: Comparing;
  board: Board | null;
  filesLink: (words: string) => ReactNode;
};

/** Where files of a build are sent, which makes it known where it is not; null = nothing names it. */
function pathFor({ build_id, commit }: SideOf, service?: string): string | null {
  if (build_id !== null) return `artifacts/cpu.pprof?build_id=${build_id}`;
  return commit && service
    ? `builds/${encodeURIComponent(service)}/${encodeURIComponent(commit)}/artifacts/`
    : null;
}

export function Compared({ compare, board, filesLink }: ComparedProps) {
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
      {lacking.map((side) => {
        const service = board?.rows.find((row) => row.service.id === side.service_id)?.service;
        const to = pathFor(side, service?.slug);
        if (to === null) return null;
        return (
          <p key={side.commit}>
            <span className="muted">Send some of {shortCommit(side.commit) || 'it'}: </span>
            <code className={classes.code}>
              {`curl -T cpu.pprof -H "Authorization: Bearer $TOKEN" "${window.location.origin}/api/v1/${to}"`}
            </code>
          </p>
        );
      })}
      {missing.windows && (
        <Button loading={compare.pending} onClick={compare.latency}>
          Compare the latency around it
        </Button>
      )}
      <p className="muted">
        Or drop files on the page and name their build in {filesLink('Files')}.
      </p>
    </div>
  );
}
