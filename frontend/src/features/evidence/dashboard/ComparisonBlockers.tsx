/** Shows why profiles around a deployment cannot be compared, and how to upload missing ones. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Dashboard } from '../../../engine/dashboard/dashboard-file';
import { ErrorState } from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import classes from './dashboard.module.css';
import type { SideChoice } from './deployment-comparison';
import type { DeploymentComparisonState } from './use-deployment-comparison';

type ComparisonBlockersProps = {
  compare: DeploymentComparisonState;
  board: Dashboard | null;
  filesLink: (words: string) => ReactNode;
};

/** Returns the API path to upload artifacts of a build by ID or commit; null without either. */
function pathFor({ build_id, commit }: SideChoice, service?: string): string | null {
  if (build_id !== null) return `artifacts/cpu.pprof?build_id=${build_id}`;
  return commit && service
    ? `builds/${encodeURIComponent(service)}/${encodeURIComponent(commit)}/artifacts/`
    : null;
}

export function ComparisonBlockers({ compare, board, filesLink }: ComparisonBlockersProps) {
  const { error, missing } = compare;
  if (error)
    return (
      <div className={classes.inset}>
        <ErrorState what={compare.failed} error={error} />
      </div>
    );
  if (!missing) return null;
  const lacking = [missing.base, missing.candidate].filter(
    (side): side is SideChoice => side?.artifacts.length === 0,
  );
  return (
    <div className={classes.caveat} role="status">
      <p>
        <b>Nothing to compare yet.</b>{' '}
        {missing.base === null
          ? 'No earlier deployment of another build.'
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
            <span className="muted">Upload profiles of {shortCommit(side.commit) || 'it'}: </span>
            <code className={classes.code}>
              {`curl -T cpu.pprof -H "Authorization: Bearer $TOKEN" "${window.location.origin}/api/v1/${to}"`}
            </code>
          </p>
        );
      })}
      {missing.windows && (
        <Button loading={compare.pending} onClick={compare.latency}>
          Compare latency before and after
        </Button>
      )}
      <p className="muted">
        Or drop files on this page and set their build in {filesLink('Artifacts')}.
      </p>
    </div>
  );
}
