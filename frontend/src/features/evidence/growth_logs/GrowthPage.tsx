/** A table of all sets of stack-growth logs of the team, one row each. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatCount } from '../../../engine/format/format';
import { EmptyState, ErrorState, PageHeader, SkeletonRows, useTitle } from '../../../ui';
import { GrowthSets } from './GrowthSets';
import classes from './growth.module.css';
import { MAX_GROWTH_LOGS, growthLogSetsListQuery } from './growth-queries';
import type { GrowthSet } from './growth-types';

export default function GrowthPage({ above }: { above: ReactNode }) {
  const sets = useQuery(growthLogSetsListQuery());
  useTitle('Stack growth');
  return (
    <>
      <PageHeader
        above={above}
        title={answer(sets.data?.sets ?? [])}
        sub="Sampled counts are those printed by the instrumented runtime. Logs of one commit form one set."
      />
      {sets.error && (
        <div className={classes.inset}>
          <ErrorState
            what="Could not load the stack-growth logs"
            error={sets.error}
            action={<Button onClick={() => void sets.refetch()}>Try again</Button>}
          />
        </div>
      )}
      {sets.isPending && (
        <div className={classes.inset}>
          <SkeletonRows rows={5} height={34} label="Loading the stack-growth logs" />
        </div>
      )}
      {sets.data?.sets.length === 0 && (
        <div className={classes.inset}>
          <EmptyState help="growth">
            No stack-growth logs yet. Drop logs, folded stacks or bpftrace maps anywhere on this
            page.
          </EmptyState>
        </div>
      )}
      {sets.data && sets.data.sets.length > 0 && <GrowthSets sets={sets.data.sets} />}
      {sets.data?.more && (
        <p className={`${classes.inset} muted`}>
          Only the newest {MAX_GROWTH_LOGS} logs are counted. Older ones are in the list of
          artifacts.
        </p>
      )}
    </>
  );
}

/** Lists the counts of the first sets: "3,465, 15,685 and 171 sampled growth events". */
function answer(sets: GrowthSet[]): string {
  const counts = sets
    .map(({ sampled }) => sampled)
    .slice(0, 5)
    .map(formatCount);
  if (counts.length === 0) return 'Stack growth';
  const last = counts.pop();
  return `${counts.length > 0 ? `${counts.join(', ')} and ` : ''}${last} sampled growth events`;
}
