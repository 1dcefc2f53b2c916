/** What the team says about one thing: threads, oldest first, growing while others write. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { lost, type SaidComment, type TeamMembership } from '../../api';
import { DeleteDialog, ErrorState, Markdown, SkeletonRows, Time, keepDraft } from '../../ui';
import { membersQuery } from '../accounts';
import { CommentForm } from './CommentForm';
import classes from './discussions.module.css';
import {
  changeComment,
  commentsQuery,
  deleteComment,
  say,
  type Subject,
  type Words,
} from './queries';
import { threadsOf, type Person, type Thread } from './threads';

export type DiscussionProps = {
  subject: Subject;
  team: TeamMembership;
  /** The id of whoever looks. */
  me: string;
  /** What the address leads to on its page: `comment-` and an id. */
  aim: string;
};

type Around = DiscussionProps & { people: Person[]; mayWrite: boolean; manages: boolean };

export default function Discussion(props: DiscussionProps) {
  const { subject, team } = props;
  const comments = useQuery(commentsQuery(subject));
  const members = useQuery(membersQuery(team.id));
  const mayWrite = team.role !== 'viewer';
  const around: Around = {
    ...props,
    mayWrite,
    manages: team.role === 'admin' || team.role === 'owner',
    people: (members.data?.items ?? []).map(({ user_id, name }) => ({ id: user_id, name })),
  };
  const failed = lost(comments);
  if (failed) return <ErrorState compact error={failed} />;
  if (!comments.data) return <SkeletonRows rows={2} />;
  const threads = threadsOf(comments.data.items);
  return (
    <div className={classes.discussion}>
      {threads.length === 0 && (
        <p className="muted">
          {mayWrite ? 'Nobody has said anything about this yet.' : 'Nothing was said about this.'}
        </p>
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

function ThreadView({ thread, around }: { thread: Thread; around: Around }) {
  const [answering, setAnswering] = useState(false);
  const close = () => {
    setAnswering(false);
  };
  return (
    <li>
      <CommentView
        comment={thread.first}
        around={around}
        onAnswer={() => {
          setAnswering(true);
        }}
      />
      {(thread.answers.length > 0 || answering) && (
        <div className={classes.answers}>
          <ol className={classes.threads} aria-label="Answers">
            {thread.answers.map((answer) => (
              <li key={answer.id}>
                <CommentView comment={answer} around={around} />
              </li>
            ))}
          </ol>
          {answering && (
            <NewComment
              around={around}
              label="Answer"
              act="Answer"
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
  around: Around;
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
  const keep = useMutation({
    mutationFn: (words: Words) =>
      say(around.subject, words, parentId ?? null, `${key}:${words.text.length}`),
    onSuccess: () => {
      keepDraft(draft, '');
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
      keep={keep}
      draft={draft}
      onClose={
        onClose &&
        (() => {
          keepDraft(draft, '');
          onClose();
        })
      }
    />
  );
}

type CommentProps = { comment: SaidComment; around: Around; onAnswer?: () => void };

function CommentView({ comment, around, onAnswer }: CommentProps) {
  const [opened, setOpened] = useState<'change' | 'delete' | null>(null);
  const close = () => {
    setOpened(null);
  };
  const own = comment.author_id === around.me;
  const place = `comment-${comment.id}`;
  const aimed = around.aim === place;
  useInSight(place, aimed);
  if (comment.deleted_at !== null)
    return (
      <p id={place} className={`${classes.comment} muted`}>
        A comment that was deleted.
      </p>
    );
  return (
    <article id={place} className={classes.comment} data-aimed={aimed || undefined}>
      <p className={classes.by}>
        <b>{comment.author_name || 'somebody'}</b>
        <span className="muted">
          {comment.author_kind === 'token' && 'token · '}
          <Time at={comment.created_at} />
          {comment.edited_at !== null && ' · changed'}
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
          {onAnswer && <Act onClick={onAnswer}>Answer</Act>}
          {own && (
            <Act
              onClick={() => {
                setOpened('change');
              }}
            >
              Change
            </Act>
          )}
          {(own || around.manages) && (
            <Act
              onClick={() => {
                setOpened('delete');
              }}
            >
              Delete
            </Act>
          )}
        </p>
      )}
      {opened === 'delete' && <Delete comment={comment} onClose={close} />}
    </article>
  );
}

/** What ends that a place is kept in sight: whoever reads has gone elsewhere. */
const GONE_ON = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** Keep what the address leads to in sight while what stands above it is still growing, until whoever reads moves on. */
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

type ChangeProps = { comment: SaidComment; around: Around; onClose: () => void };

function Change({ comment, around, onClose }: ChangeProps) {
  const client = useQueryClient();
  const keep = useMutation({
    mutationFn: (words: Words) => changeComment(comment.id, words),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['comment'] }),
  });
  return (
    <CommentForm
      label="Change the comment"
      act="Keep"
      text={comment.text}
      people={around.people}
      keep={keep}
      onClose={onClose}
    />
  );
}

function Delete({ comment, onClose }: { comment: SaidComment; onClose: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteComment(comment.id),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['comment'] }),
  });
  return (
    <DeleteDialog name="this comment" noun="comment" remove={remove} onClose={onClose}>
      Its words are gone for everybody. Answers to it stay.
    </DeleteDialog>
  );
}
