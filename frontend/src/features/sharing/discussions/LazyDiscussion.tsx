/** The parts of this feature, loaded when they are first shown. */
import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy } from 'react';
import type { SubjectKind } from '../../../api';
import { countOf } from '../../../ui';
import type { DiscussionProps } from './Discussion';
import classes from './discussions.module.css';
import { countsQuery } from './discussion-queries';

const Whole = lazy(() => import('./Discussion'));

export const Discussion = (props: DiscussionProps) => (
  <Suspense fallback={null}>
    <Whole {...props} />
  </Suspense>
);

/** Returns the number of comments by part of a subject, such as the findings of a comparison. */
export function useCounts(kind: SubjectKind, id: string | null): Map<string, number> {
  const { data } = useQuery(countsQuery(kind, id === null ? [] : [id]));
  return new Map((data?.items ?? []).map(({ part, count }) => [part, count]));
}

export function CommentCount({ count }: { count: number }) {
  return count > 0 ? (
    <span className={`${classes.count} muted`}> · {countOf(count, 'comment')}</span>
  ) : null;
}
