/** Every set of stack-growth logs of the team, a row each: regression, fix and pool side by side. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatCount } from '../../engine';
import { EmptyState, ErrorState, PageHead, SkeletonRows, useTitle } from '../../ui';
import { GrowthSets } from './GrowthSets';
import classes from './growth.module.css';
import { MOST_LOGS, growthSetsQuery } from './queries';
import type { GrowthSet } from './types';

export default function GrowthPage({ above }: { above: ReactNode }) {
  const sets = useQuery(growthSetsQuery());
  useTitle('Stack growths');
  return (
    <>
      <PageHead
        above={above}
        title={answer(sets.data?.sets ?? [])}
        sub="Sampled counts are as printed by the instrumented runtime; logs of one commit are one set."
      />
      {sets.error && (
        <div className={classes.inset}>
          <ErrorState
            what="The stack-growth logs could not be read"
            error={sets.error}
            action={<Button onClick={() => void sets.refetch()}>Try again</Button>}
          />
        </div>
      )}
      {sets.isPending && (
        <div className={classes.inset}>
          <SkeletonRows rows={5} height={34} label="Reading the stack-growth logs" />
        </div>
      )}
      {sets.data?.sets.length === 0 && (
        <div className={classes.inset}>
          <EmptyState>
            Stack-growth logs, folded stacks and bpftrace maps of growths will be counted here: drop
            them anywhere on the page.
          </EmptyState>
        </div>
      )}
      {sets.data && sets.data.sets.length > 0 && <GrowthSets sets={sets.data.sets} />}
      {sets.data?.more && (
        <p className={`${classes.inset} muted`}>
          Only the newest {MOST_LOGS} logs are counted here; older ones are in the list of files.
        </p>
      )}
    </>
  );
}

/** The numbers themselves, most first: "15,685, 3,465 and 171 sampled growths". */
function answer(sets: GrowthSet[]): string {
  const counts = sets
    .map(({ sampled }) => sampled ?? 0)
    .sort((a, b) => b - a)
    .slice(0, 5)
    .map(formatCount);
  if (counts.length === 0) return 'Stack growths';
  const last = counts.pop();
  return `${counts.length > 0 ? `${counts.join(', ')} and ` : ''}${last} sampled growths`;
}
