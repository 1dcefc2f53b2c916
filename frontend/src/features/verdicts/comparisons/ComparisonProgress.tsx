/** The page of a comparison that is waiting or running, has failed or was cancelled. */
import { Button, Progress } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { calls, type Comparison } from '../../../api';
import { ErrorState, SkeletonRows, countOf } from '../../../ui';
import { ComparisonHeader } from './ComparisonHeader';
import { ComparisonMenu } from './ComparisonMenu';
import classes from './shared/Page.module.css';
import { retryComparison } from './shared/comparison-queries';

type ComparisonProgressProps = {
  comparison: Comparison;
  mayWrite: boolean;
  onGone: () => void;
  /** A link to the page that changes the sides. */
  changeSides?: ReactNode;
};

export function RunningComparison(props: ComparisonProgressProps) {
  const { comparison, mayWrite, onGone, changeSides } = props;
  const client = useQueryClient();
  const { job, base, candidate } = comparison;
  const cancel = useMutation({
    mutationFn: (job_id: string) => calls.jobsCancel({ path: { job_id } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['comparison', 'one', comparison.id] }),
  });
  const ofMetrics = base.artifacts + candidate.artifacts === 0 && base.time_range !== null;
  const percent = Math.round((job?.progress ?? 0) * 100);
  const step = job?.state === 'running' ? job.step || 'started' : 'waiting for a worker';
  return (
    <>
      <ComparisonHeader
        comparison={comparison}
        title={[
          {
            text: ofMetrics
              ? 'Comparing metrics of two time ranges'
              : `Comparing ${countOf(candidate.artifacts, 'candidate file')} with ${countOf(base.artifacts, 'base file')}`,
          },
        ]}
        sub={<span aria-live="polite">{step}</span>}
        actions={
          <>
            {changeSides}
            {mayWrite && job && (
              <>
                <Button
                  loading={cancel.isPending || job.cancel_requested}
                  onClick={() => cancel.mutate(job.id)}
                >
                  Cancel
                </Button>
                <ComparisonMenu comparison={comparison} onGone={onGone} />
              </>
            )}
          </>
        }
      />
      <div className={classes.progress}>
        <Progress value={percent} aria-label="Progress" />
        {cancel.error && <ErrorState compact error={cancel.error} />}
      </div>
      <div className={classes.inset}>
        <SkeletonRows rows={7} label="Computing findings" />
      </div>
    </>
  );
}

export function FailedComparison(props: ComparisonProgressProps) {
  const { comparison, mayWrite, onGone, changeSides } = props;
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => retryComparison(comparison.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['comparison'] }),
  });
  const cancelled = comparison.state === 'cancelled';
  const problem = comparison.problem ?? comparison.job?.problem;
  const error =
    again.error ??
    (problem
      ? Object.assign(new Error(problem.detail), { facts: problem })
      : new Error('No error message recorded.'));
  const actions = (
    <>
      {changeSides}
      {mayWrite && (
        <>
          <Button variant="filled" loading={again.isPending} onClick={() => again.mutate()}>
            Compare again
          </Button>
          <ComparisonMenu comparison={comparison} onGone={onGone} />
        </>
      )}
    </>
  );
  return (
    <>
      <ComparisonHeader
        comparison={comparison}
        title={[{ text: cancelled ? 'This comparison was cancelled' : 'This comparison failed' }]}
        actions={actions}
      />
      {(!cancelled || again.error) && (
        <div className={classes.inset}>
          <ErrorState error={error} />
        </div>
      )}
    </>
  );
}
