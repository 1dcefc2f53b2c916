/** The page of one comparison: its result, its progress or why it failed. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { makeConnectionLostError } from '../../../api';
import { ErrorState, PageHeader, SkeletonRows, useTitle } from '../../../ui';
import { usePollWhile } from '../../platform/jobs';
import { FailedComparison, RunningComparison } from './ComparisonProgress';
import { CompletedComparison, type ComparisonContext } from './CompletedComparison';
import classes from './shared/Page.module.css';
import { comparisonQuery, isUnderWay } from './shared/comparison-queries';

export function ComparisonPage({ id, ...context }: ComparisonContext & { id: string }) {
  const pollWhile = usePollWhile();
  const comparison = useQuery({
    ...comparisonQuery(id),
    refetchInterval: (query) => {
      const data = query.state.data;
      return pollWhile(data !== undefined && (isUnderWay(data) || data.views.some(isUnderWay)));
    },
  });
  useTitle(comparison.data?.name ?? 'Comparison');
  const failed = makeConnectionLostError(comparison);
  if (failed) {
    return (
      <>
        <PageHeader title="Could not load the comparison" />
        <div className={classes.inset}>
          <ErrorState
            error={failed}
            action={<Button onClick={() => void comparison.refetch()}>Try again</Button>}
          />
        </div>
      </>
    );
  }
  if (!comparison.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={14} label="Loading the comparison" />
      </div>
    );
  }
  const { data } = comparison;
  const { mayWrite, onGone, extensions } = context;
  const early = { comparison: data, mayWrite, onGone, changeSides: extensions.changeSides };
  if (isUnderWay(data)) return <RunningComparison {...early} />;
  if (data.state !== 'done' || !data.result) return <FailedComparison {...early} />;
  return <CompletedComparison comparison={data} result={data.result} {...context} />;
}
