import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Mention, PostedComment, Role } from '../../../api';
import { TEAM } from '../../../testing/api-factories';
import { at, page, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import Discussion from './Discussion';
import InboxList from './InboxList';

const [ME, OTHER] = ['user-1', 'user-2'];

const aComment = (changed: Partial<PostedComment> = {}): PostedComment => ({
  id: 'c1',
  parent_id: null,
  author_id: ME,
  author_name: 'Mira Kovač',
  author_kind: 'user',
  text: 'It is the helper.',
  mentions: [],
  created_at: '2026-11-20T15:00:00Z',
  edited_at: null,
  deleted_at: null,
  ...changed,
});

const member = (user_id: string, name: string) => ({
  user_id,
  name,
  email: 'x@x.example',
  role: 'member',
  created_at: '2026-11-01T00:00:00Z',
});

function showDiscussion(comments: PostedComment[], role: Role = 'member', aim = '') {
  server.use(
    http.get(at('/comments'), () => HttpResponse.json({ items: comments })),
    http.get(at('/teams/:team/members'), () =>
      page([member(ME, 'Mira Kovač'), member(OTHER, 'Jun Ito'), member('user-3', 'Juno')]),
    ),
  );
  return show(
    <Discussion
      subject={{ kind: 'regression', id: 'r1' }}
      team={{ ...TEAM, role }}
      me={ME}
      aim={aim}
    />,
  );
}

/**
 * Records the bodies of requests with one method to a path below the comments; responds with a
 * comment.
 */
function record(method: 'post' | 'patch', path = ''): unknown[] {
  const sent: unknown[] = [];
  server.use(
    http[method](at(`/comments${path}`), async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json(aComment());
    }),
  );
  return sent;
}

const field = (name: string) => screen.findByRole('combobox', { name });
const comment = async (text: string) =>
  (await screen.findByText(text)).closest<HTMLElement>('article')!;

// Unsent text is restored in the next discussion.
afterEach(() => sessionStorage.clear());

describe('Discussion', () => {
  it('shows threads, with replies in a named list below their comment', async () => {
    showDiscussion([
      aComment(),
      aComment({ id: 'c2', text: 'Another matter.', author_id: null, author_name: '' }),
      aComment({ id: 'c3', parent_id: 'c1', text: 'Inlined?', author_kind: 'token' }),
      aComment({ id: 'c4', parent_id: 'c1', deleted_at: '2026-11-20T16:00:00Z', text: '' }),
    ]);
    await screen.findByText('Another matter.');
    const replies = within(screen.getByRole('list', { name: 'Replies' })).getAllByRole('listitem');
    expect(replies).toHaveLength(2);
    expect(replies[0]).toHaveTextContent(/token · .*Inlined\?/);
    expect(replies[1]).toHaveTextContent(/^Deleted comment$/);
    expect(await comment('Another matter.')).toHaveTextContent(/^a former member/);
    // A reply has no replies: threads have two levels.
    expect(within(replies[0]!).queryByRole('button', { name: 'Reply' })).not.toBeInTheDocument();
  });

  it('marks edited comments and scrolls to the linked one', async () => {
    const shown: string[] = [];
    vi.spyOn(HTMLElement.prototype, 'scrollIntoView').mockImplementation(function look(
      this: HTMLElement,
    ) {
      shown.push(this.id);
    });
    showDiscussion(
      [aComment(), aComment({ id: 'c2', text: 'Later.', edited_at: '2026-11-21T15:00:00Z' })],
      'member',
      'comment-c2',
    );
    expect(await comment('Later.')).toHaveTextContent('· edited');
    expect(await comment('It is the helper.')).not.toHaveTextContent('· edited');
    expect(new Set(shown)).toEqual(new Set(['comment-c2']));
  });

  it('shows viewers no form and no actions', async () => {
    showDiscussion([], 'viewer');
    expect(await screen.findByText('No comments.')).toBeInTheDocument();
    expect(screen.queryByRole('combobox')).not.toBeInTheDocument();
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });

  it('shows why the comments could not be loaded', async () => {
    showDiscussion([]);
    server.use(http.get(at('/comments'), () => problem(403, { detail: 'Not readable.' })));
    expect(await screen.findByRole('alert')).toHaveTextContent('Not readable.');
  });

  it.each<[Role, string[], string[]]>([
    ['member', ['Reply', 'Edit', 'Delete'], ['Reply']],
    ['admin', ['Reply', 'Edit', 'Delete'], ['Reply', 'Delete']],
  ])('offers a %s the permitted actions on own and other comments', async (role, own, others) => {
    showDiscussion([aComment(), aComment({ id: 'c2', author_id: OTHER, text: 'Not mine.' })], role);
    const actions = async (text: string) =>
      within(await comment(text))
        .getAllByRole('button')
        .map((button) => button.textContent);
    expect(await actions('It is the helper.')).toEqual(own);
    expect(await actions('Not mine.')).toEqual(others);
  });
});

describe('comment form', () => {
  it('requires text, sends it on Ctrl+Enter, and is empty afterwards', async () => {
    const sent = record('post');
    const { user } = showDiscussion([]);
    const text = await field('Comment');
    expect(screen.getByRole('button', { name: 'Comment' })).toBeDisabled();
    await user.type(text, '  {Control>}{Enter}{/Control}');
    expect(sent).toEqual([]);
    await user.type(text, 'Fixed.{Control>}{Enter}{/Control}');
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ text: 'Fixed.', parent_id: null, mentioned_user_ids: [] });
    await waitFor(async () => expect(await field('Comment')).toHaveValue(''));
    expect(sessionStorage).toHaveLength(0);
  });

  it('sends a reply on Ctrl+Enter and discards it on Escape', async () => {
    const sent = record('post');
    const { user } = showDiscussion([aComment()]);
    const reply = async () =>
      user.click(within(await comment('It is the helper.')).getByRole('button', { name: 'Reply' }));
    await reply();
    expect(await field('Reply')).toHaveFocus();
    await user.keyboard('No.{Escape}');
    expect(screen.queryByRole('combobox', { name: 'Reply' })).not.toBeInTheDocument();
    await reply();
    expect(await field('Reply')).toHaveValue('');
    await user.keyboard('Yes.{Control>}{Enter}{/Control}');
    await waitFor(() => expect(sent).toMatchObject([{ text: 'Yes.', parent_id: 'c1' }]));
    await waitFor(() =>
      expect(screen.queryByRole('combobox', { name: 'Reply' })).not.toBeInTheDocument(),
    );
  });

  it('keeps the text and shows the reason when the server rejects it', async () => {
    const { user } = showDiscussion([]);
    server.use(
      http.post(at('/comments'), () =>
        problem(422, { detail: 'At most 20 mentions.', resolution: 'Mention fewer members.' }),
      ),
    );
    await enter(user, await field('Comment'), 'All of you');
    await user.click(screen.getByRole('button', { name: 'Comment' }));
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not save the comment · At most 20 mentions.');
    expect(alert).toHaveTextContent('Mention fewer members.');
    expect(await field('Comment')).toHaveValue('All of you');
  });

  it('mentions the member selected with the arrow keys', async () => {
    const sent = record('post');
    const { user } = showDiscussion([]);
    const text = await field('Comment');
    await enter(user, text, 'see @ju');
    const members = await screen.findByRole('listbox', { name: 'Members' });
    const options = within(members).getAllByRole('option');
    expect(options.map((option) => option.textContent)).toEqual(['Jun Ito', 'Juno']);
    expect(text).toHaveAttribute('aria-expanded', 'true');
    expect(text).toHaveAttribute('aria-activedescendant', options[0]!.id);
    await user.keyboard('{ArrowDown}');
    expect(text).toHaveAttribute('aria-activedescendant', options[1]!.id);
    await user.keyboard('{ArrowDown}{ArrowUp}{Tab}');
    expect(text).toHaveValue('see @Juno ');
    expect(screen.queryByRole('listbox')).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Comment' }));
    await waitFor(() =>
      expect(sent).toMatchObject([{ text: 'see @Juno', mentioned_user_ids: ['user-3'] }]),
    );
  });

  it('closes the list of members on Escape and opens it again on the next letter', async () => {
    const { user } = showDiscussion([]);
    const text = await field('Comment');
    await user.type(text, '@ju');
    await screen.findByRole('listbox');
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('listbox')).not.toBeInTheDocument();
    expect(text).toHaveValue('@ju');
    await user.keyboard('n');
    expect(screen.getByRole('listbox')).toBeInTheDocument();
    await user.keyboard('x');
    expect(screen.queryByRole('listbox')).not.toBeInTheDocument();
  });

  it('restores unsent text after the page was left', async () => {
    const first = showDiscussion([]);
    await enter(first.user, await field('Comment'), 'Half a tho');
    first.unmount();
    showDiscussion([]);
    expect(await field('Comment')).toHaveValue('Half a tho');
  });
});

describe('own comments', () => {
  it('are edited in place', async () => {
    const sent = record('patch', '/c1');
    const { user } = showDiscussion([aComment()]);
    await user.click(await screen.findByRole('button', { name: 'Edit' }));
    const text = await field('Edit comment');
    expect(text).toHaveValue('It is the helper.');
    await enter(user, text, ' Really.');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(sent).toEqual([{ text: 'It is the helper. Really.', mentioned_user_ids: [] }]),
    );
    await waitFor(() =>
      expect(screen.queryByRole('combobox', { name: 'Edit comment' })).not.toBeInTheDocument(),
    );
  });

  it('are deleted after confirmation', async () => {
    const deleted: unknown[] = [];
    server.use(
      http.delete(at('/comments/:id'), ({ params }) => {
        deleted.push(params.id);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = showDiscussion([aComment()]);
    await user.click(await screen.findByRole('button', { name: 'Delete' }));
    const question = await screen.findByRole('dialog', { name: 'Delete this comment?' });
    expect(question).toHaveTextContent('Deletes its text for all members. Replies stay.');
    expect(deleted).toEqual([]);
    await user.click(within(question).getByRole('button', { name: 'Delete comment' }));
    await waitFor(() => expect(deleted).toEqual(['c1']));
  });
});

describe('InboxList', () => {
  const aMention = (changed: Partial<Mention> = {}): Mention => ({
    id: 'm1',
    comment_id: 'c1',
    author_name: 'Jun',
    text: 'see this',
    subject_kind: 'regression',
    subject_id: 'r1',
    title: 'Clone takes more time',
    path: '/regressions/r1',
    created_at: '2026-11-20T09:12:00Z',
    read_at: null,
    ...changed,
  });

  function showInbox(mentions: Mention[], unread: number) {
    const read: unknown[] = [];
    server.use(
      http.get(at('/mentions'), () => page(mentions)),
      http.post(at('/mentions/read'), async ({ request }) => {
        read.push(await request.json());
        return HttpResponse.json({ unread: 0 });
      }),
    );
    const opened: string[] = [];
    const shown = show(<InboxList unread={unread} onOpen={(path) => opened.push(path)} />);
    return { ...shown, read, opened };
  }

  it('opens the comment of a mention and labels only unread mentions', async () => {
    const { user, read, opened } = showInbox(
      [
        aMention(),
        aMention({ id: 'm2', title: 'Old', author_name: '', read_at: '2026-11-21T09:12:00Z' }),
      ],
      1,
    );
    expect(await screen.findByRole('button', { name: /Clone takes/ })).toHaveTextContent('unread');
    const old = screen.getByRole('button', { name: /^Former member on Old/ });
    expect(old).not.toHaveTextContent('unread');
    await user.click(old);
    expect(opened).toEqual(['/regressions/r1#comment-c1']);
    expect(read).toEqual([]);
  });

  it('marks all mentions as read at once', async () => {
    const { user, read } = showInbox([aMention()], 1);
    await user.click(await screen.findByRole('button', { name: 'Mark all as read' }));
    await waitFor(() => expect(read).toEqual([{ mention_ids: null }]));
  });

  it('shows that there are no mentions or that they cannot be loaded', async () => {
    const { unmount } = showInbox([], 0);
    expect(await screen.findByText('No mentions yet.')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Mark all as read' })).not.toBeInTheDocument();
    unmount();
    showInbox([], 0);
    server.use(http.get(at('/mentions'), () => problem(403, { detail: 'Not readable.' })));
    expect(await screen.findByRole('alert')).toHaveTextContent('Not readable.');
  });

  it('loads older mentions on request', async () => {
    const { user } = showInbox([], 0);
    server.use(
      http.get(at('/mentions'), ({ request }) =>
        new URL(request.url).searchParams.has('cursor')
          ? page([aMention({ id: 'm2', title: 'Older' })])
          : HttpResponse.json({ items: [aMention()], next_cursor: 'x' }),
      ),
    );
    await user.click(await screen.findByRole('button', { name: 'Load older' }));
    expect(await screen.findByRole('button', { name: /Older/ })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: /Clone takes/ })).toBeInTheDocument();
  });
});
