import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { CommitPeople, CommitRangeOut, Suspect } from '../../../api';
import { at, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import { AssignPerson } from './AssignPerson';
import SuspectCommit from './SuspectCommit';

const SHA = (digit: string) => digit.repeat(40);

const aSuspect = (digit: string, share: number): Suspect => ({
  sha: SHA(digit),
  parents: [],
  author_name: '',
  author_email: '',
  authored_at: null,
  committed_at: null,
  title: '',
  message: '',
  files: null,
  files_total: null,
  lines_added: null,
  lines_removed: null,
  dependency_updates: null,
  url: null,
  suspicion: { probability: share, changes_binary: null, reasons: [] },
});

const PEOPLE: CommitPeople = {
  repository: { id: 'r', name: 'api', kind: 'gitlab', web_url: null },
  sha: SHA('2'),
  title: 'ident: copy <b>bytes</b>',
  url: 'https://gitlab.example/a/-/commit/2',
  author: { name: 'jt', user_id: 'u1', user_name: 'Jonas Thiel' },
  reviewers: [{ name: 'Lea Brandt', user_id: null, user_name: null }],
  owners: ['@northwind/storage'],
  owner_members: [],
  owners_reason: null,
  pull_request: { number: 7, url: 'https://gitlab.example/a/-/merge_requests/7' },
};

const assigned: (string | null)[] = [];

function shown(
  commits: Suspect[],
  people: Partial<CommitPeople> = {},
  more: Partial<CommitRangeOut> = {},
) {
  const range: CommitRangeOut = {
    repository: PEOPLE.repository,
    unknown_reason: null,
    good: SHA('0'),
    bad: SHA('9'),
    total: commits.length,
    complete: true,
    is_ancestor: true,
    closure_state: 'known',
    commits,
    ...more,
  };
  server.use(
    http.get(at('/services/s/commits'), () => HttpResponse.json(range)),
    http.get(at(`/repositories/r/commits/${SHA('2')}/people`), () =>
      HttpResponse.json({ ...PEOPLE, ...people }),
    ),
  );
  show(
    <SuspectCommit
      serviceId="s"
      good={SHA('0')}
      bad={SHA('9')}
      commitLink={(_, sha, words) => <a href={`#${sha}`}>{words}</a>}
      action={(person) => (
        <AssignPerson
          person={person}
          assigneeId="u3"
          assign={(id) => Promise.resolve(assigned.push(id))}
          changes="comparison"
        />
      )}
    />,
  );
}

describe('SuspectCommit', () => {
  it('shows the most suspected commit with its people and an action for its author', async () => {
    shown([aSuspect('1', 0.2), aSuspect('2', 0.8)]);
    expect(await screen.findByText('“ident: copy <b>bytes</b>”')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: '2222222222' })).toHaveAttribute(
      'href',
      `#${SHA('2')}`,
    );
    expect(screen.getByText('most suspected of 2 commits: 80%')).toBeInTheDocument();
    expect(screen.getByText('Jonas Thiel')).toBeInTheDocument();
    expect(screen.getByText('Lea Brandt')).toBeInTheDocument();
    expect(screen.getByText('@northwind/storage')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Pull request 7' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Open on GitLab' })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Assign to Jonas Thiel' })).toBeInTheDocument();
  });

  it('offers each member only once as assignee: author, reviewer, code owner', async () => {
    const member = (user_id: string, name: string) => ({ name, user_id, user_name: name });
    shown([aSuspect('2', 1)], {
      reviewers: [member('u1', 'Jonas Thiel'), member('u2', 'Lea Brandt')],
      owner_members: [member('u2', 'Lea Brandt'), member('u3', 'Mira Kovač')],
    });
    const user = userEvent.setup();
    await user.click(
      await screen.findByRole('button', { name: 'Assign to Lea Brandt (reviewer)' }),
    );
    await user.click(screen.getByRole('button', { name: 'Unassign' }));
    expect(screen.getAllByRole('button')).toHaveLength(3);
    expect(screen.getByText('assigned to Mira Kovač')).toBeInTheDocument();
    expect(assigned).toEqual(['u2', null]);
  });

  it('shows why owners are unknown, but no assignee or unsafe link', async () => {
    shown([aSuspect('2', 1)], {
      author: { name: 'jt', user_id: null, user_name: null },
      owners: null,
      owners_reason: 'no-mirror',
      pull_request: { number: 7, url: 'javascript:alert(1)' },
    });
    expect(await screen.findByText(/Only commit/u)).toBeInTheDocument();
    expect(await screen.findByText('owners unknown: no mirror of this commit')).toBeInTheDocument();
    expect(screen.queryByRole('button')).toBeNull();
    expect(screen.queryByRole('link', { name: 'Pull request 7' })).toBeNull();
  });

  it('shows why the suspect commit is unknown', async () => {
    const unknown_reason = 'No repository is linked to this service.';
    shown([], {}, { repository: null, unknown_reason });
    expect(
      await screen.findByText(`Suspect commit unknown: ${unknown_reason}`),
    ).toBeInTheDocument();
    expect(screen.queryByText(/Only commit/u)).toBeNull();
  });
});
