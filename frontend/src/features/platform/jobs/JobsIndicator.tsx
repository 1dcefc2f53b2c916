import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { usePollWhile } from './team-events';
import { activeJobsQuery, isActive } from './job-queries';
import { runningText } from './job-wording';

/**
 * The number of active jobs in the top bar: "2 decoding". Hidden if there are none. The caller
 * renders the link.
 */
export function JobsIndicator({ link }: { link: (words: string) => ReactNode }) {
  const pollWhile = usePollWhile();
  const { data } = useQuery({
    ...activeJobsQuery,
    refetchInterval: (query) => pollWhile(query.state.data?.items.some(isActive) ?? false),
  });
  const words = runningText(data?.items.filter(isActive) ?? []);
  return (
    <span aria-live="polite" className="nowrap">
      {words !== '' && link(words)}
    </span>
  );
}
