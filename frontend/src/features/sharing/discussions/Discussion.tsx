/** The discussion of one subject: threads, oldest first. It updates while others write. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { makeConnectionLostError, type PostedComment, type TeamMembership } from '../../../api';
import {
  DeleteResource,
  ErrorState,
  Markdown,
  SkeletonRows,
  Timestamp,
  saveDraft,
} from '../../../ui';
import { membersQuery } from '../../platform/accounts';
import { CommentForm } from './CommentForm';
import classes from './discussions.module.css';
import {
  updateComment,
  commentsQuery,
  deleteComment,
  createComment,
  type Subject,
  type CommentFields,
} from './discussion-queries';
import { threadsOf, type Person, type Thread } from './comment-threads';

export type DiscussionProps = {
  subject: Subject;
  team: TeamMembership;
  /** The id of the current user. */
  me: string;
  /** The comment that the URL links to: `comment-` and an id. */
  aim: string;
};

type DiscussionContext = DiscussionProps & {
  people: Person[];
  mayWrite: boolean;
  manages: boolean;
};

export default function Discussion(props: DiscussionProps) {
  const { subject, team } = props;
  const comments = useQuery(commentsQuery(subject));
  const members = useQuery(membersQuery(team.id));
  const mayWrite = team.role !== 'viewer';
  const around: DiscussionContext = {
    ...props,
    mayWrite,
    manages: team.role === 'admin' || team.role === 'owner',
    people: (members.data?.items ?? []).map(({ user_id, name }) => ({ id: user_id, name })),
  };
  const failed = makeConnectionLostError(comments);
  if (failed) return <ErrorState compact error={failed} />;
  if (!comments.data) return <SkeletonRows rows={2} />;
  const threads = threadsOf(comments.data.items);
  return (
    <div className={classes.discussion}>
      {threads.length === 0 && (
        <p className="muted">{mayWrite ? 'No comments yet.' : 'No comments.'}</p>
      )}
      <ol className={classes.threads} aria-label="Comments">
        {threads.map((thread) => (
          <ThreadView key={thread.first.id} thread={thread} around={around} />
        ))}
      </ol>
      {mayWrite && <NewComment around={around} label="Comment" act="Comment" />}
    </div>
  );
}

function ThreadView({ thread, around }: { thread: Thread; around: DiscussionContext }) {
  const [answering, setAnswering] = useState(false);
  const close = () => setAnswering(false);
  return (
    <li>
      <CommentView comment={thread.first} around={around} onAnswer={() => setAnswering(true)} />
      {(thread.answers.length > 0 || answering) && (
        <div className={classes.answers}>
          <ol className={classes.threads} aria-label="Replies">
            {thread.answers.map((answer) => (
              <li key={answer.id}>
                <CommentView comment={answer} around={around} />
              </li>
            ))}
          </ol>
          {answering && (
            <NewComment
              around={around}
              label="Reply"
              act="Reply"
              parentId={thread.first.id}
              onClose={close}
            />
          )}
        </div>
      )}
    </li>
  );
}

type NewProps = {
  around: DiscussionContext;
  label: string;
  act: string;
  parentId?: string;
  onClose?: () => void;
};

function NewComment({ around, label, act, parentId, onClose }: NewProps) {
  const client = useQueryClient();
  const [key, setKey] = useState(() => crypto.randomUUID());
  const { kind, id, part } = around.subject;
  const draft = ['comment', kind, id, part ?? '', parentId ?? ''].join(' ');
  const save = useMutation({
    mutationFn: (words: CommentFields) =>
      createComment(around.subject, words, parentId ?? null, `${key}:${words.text.length}`),
    onSuccess: () => {
      saveDraft(draft, '');
      setKey(crypto.randomUUID());
      onClose?.();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['comment'] }),
  });
  return (
    <CommentForm
      key={key}
      label={label}
      act={act}
      people={around.people}
      save={save}
      draft={draft}
      onClose={
        onClose &&
        (() => {
          saveDraft(draft, '');
          onClose();
        })
      }
    />
  );
}

type CommentProps = { comment: PostedComment; around: DiscussionContext; onAnswer?: () => void };

function CommentView({ comment, around, onAnswer }: CommentProps) {
  const [opened, setOpened] = useState<'change' | 'delete' | null>(null);
  const close = () => setOpened(null);
  const own = comment.author_id === around.me;
  const place = `comment-${comment.id}`;
  const aimed = around.aim === place;
  useInSight(place, aimed);
  if (comment.deleted_at !== null)
    return (
      <p id={place} className={`${classes.comment} muted`}>
        Deleted comment
      </p>
    );
  return (
    <article id={place} className={classes.comment} data-aimed={aimed || undefined}>
      <p className={classes.by}>
        <b>{comment.author_name || 'a former member'}</b>
        <span className="muted">
          {comment.author_kind === 'token' && 'token · '}
          <Timestamp at={comment.created_at} />
          {comment.edited_at !== null && ' · edited'}
        </span>
      </p>
      {opened === 'change' ? (
        <Change comment={comment} around={around} onClose={close} />
      ) : (
        <Markdown
          text={comment.text}
          headings={4}
          names={comment.mentions.map(({ name }) => name)}
        />
      )}
      {around.mayWrite && opened !== 'change' && (
        <p className={classes.acts}>
          {onAnswer && <Act onClick={onAnswer}>Reply</Act>}
          {own && <Act onClick={() => setOpened('change')}>Edit</Act>}
          {(own || around.manages) && <Act onClick={() => setOpened('delete')}>Delete</Act>}
        </p>
      )}
      {opened === 'delete' && <DeleteComment comment={comment} onClose={close} />}
    </article>
  );
}

/** Events after which the linked comment is not scrolled into view again. */
const GONE_ON = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Scrolls to the linked comment again while content above it is loading, until the user moves on.
 */
function useInSight(place: string, aimed: boolean): void {
  useEffect(() => {
    if (!aimed) return;
    const show = () => document.getElementById(place)?.scrollIntoView({ block: 'center' });
    const grown = new ResizeObserver(show);
    const stop = () => {
      grown.disconnect();
      for (const name of GONE_ON) window.removeEventListener(name, stop);
    };
    show();
    grown.observe(document.body);
    for (const name of GONE_ON) window.addEventListener(name, stop, { passive: true });
    return stop;
  }, [aimed, place]);
}

function Act({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button type="button" className="link" onClick={onClick}>
      {children}
    </button>
  );
}

type ChangeProps = { comment: PostedComment; around: DiscussionContext; onClose: () => void };

function Change({ comment, around, onClose }: ChangeProps) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (words: CommentFields) => updateComment(comment.id, words),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['comment'] }),
  });
  return (
    <CommentForm
      label="Edit comment"
      act="Save"
      text={comment.text}
      people={around.people}
      save={save}
      onClose={onClose}
    />
  );
}

function DeleteComment({ comment, onClose }: { comment: PostedComment; onClose: () => void }) {
  return (
    <DeleteResource
      name="this comment"
      noun="comment"
      request={() => deleteComment(comment.id)}
      stale={['comment']}
      onClose={onClose}
    >
      Deletes its text for all members. Replies stay.
    </DeleteResource>
  );
}
