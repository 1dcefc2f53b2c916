/**
 * Queries of comments on a subject, their number, and mentions of the user. An event `comment` or
 * `mention` refetches them.
 */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { calls, type SubjectKind } from '../../../api';

export type Subject = {
  kind: SubjectKind;
  /** For a finding, the id of its comparison. */
  id: string;
  /** For a finding, its identity in the comparison (`findingPart`). */
  part?: string;
};

export const commentsQuery = ({ kind, id, part = '' }: Subject) =>
  queryOptions({
    queryKey: ['comment', 'list', kind, id, part],
    queryFn: ({ signal }) =>
      calls.commentsList({ query: { subject_kind: kind, subject_id: id, part }, signal }),
  });

export const countsQuery = (kind: SubjectKind, ids: string[]) =>
  queryOptions({
    queryKey: ['comment', 'counts', kind, ids],
    queryFn: ({ signal }) =>
      calls.commentsCount({ query: { subject_kind: kind, subject_ids: ids }, signal }),
    enabled: ids.length > 0,
  });

export const unreadQuery = queryOptions({
  queryKey: ['mention', 'count'],
  queryFn: ({ signal }) => calls.mentionsCount({ signal }),
});

export const inboxQuery = infiniteQueryOptions({
  queryKey: ['mention', 'list'],
  queryFn: ({ pageParam, signal }) =>
    calls.mentionsList({ query: { cursor: pageParam, limit: 20 }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
});

export type CommentFields = { text: string; mentioned_user_ids: string[] };

/**
 * Creates a comment. With the same key, a repeated request (after a lost response) creates no
 * second comment.
 */
export const createComment = (
  subject: Subject,
  words: CommentFields,
  parent_id: string | null,
  key: string,
) =>
  calls.commentsCreate({
    body: {
      subject_kind: subject.kind,
      subject_id: subject.id,
      part: subject.part ?? '',
      parent_id,
      ...words,
    },
    headers: { 'Idempotency-Key': key },
  });
export const updateComment = (comment_id: string, body: CommentFields) =>
  calls.commentsUpdate({ path: { comment_id }, body });
export const deleteComment = (comment_id: string) => calls.commentsDelete({ path: { comment_id } });
export const markMentionsRead = (mention_ids: string[] | null) =>
  calls.mentionsMarkRead({ body: { mention_ids } });
