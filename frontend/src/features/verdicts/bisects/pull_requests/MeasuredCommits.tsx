/**
 * The measurements of the pull request of a build, or of its commit; shows nothing if there are
 * none.
 */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Section } from '../../../../ui';
import { CommitComparisonTable } from './CommitComparisonTable';
import { commitComparisonsQuery, type CommitComparisonsFilter } from './commit-comparison-queries';

export type MeasuredCommitsProps = {
  title: string;
  filter: CommitComparisonsFilter;
  link: (id: string, words: ReactNode) => ReactNode;
  /** The measurement of the current page, which does not count. */
  without?: string;
};

export default function MeasuredCommits({ title, filter, link, without }: MeasuredCommitsProps) {
  const found = useInfiniteQuery(commitComparisonsQuery(filter));
  const rows = found.data?.pages[0]?.items ?? [];
  if (!rows.some(({ id }) => id !== without)) return null;
  return (
    <Section title={title}>
      <CommitComparisonTable label={title} filter={filter} link={link} />
    </Section>
  );
}
