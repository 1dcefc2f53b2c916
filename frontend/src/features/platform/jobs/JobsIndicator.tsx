import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { usePollWhile } from './team-events';
import { activeJobsQuery, isActive } from './job-queries';
import { runningText } from './job-wording';

/** "2 decoding" in the top bar while anything is; nothing when nothing is. The link is the caller's. */
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
