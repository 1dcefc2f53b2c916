import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { CommitRangeOut as Found, Suspect } from '../../../api';
import { at, server } from '../../../testing/mock-api';
import CommitsBetween from './CommitsBetween';

const SHA = (digit: string) => digit.repeat(40);

function aSuspect(digit: string, share: number, changed: Partial<Suspect> = {}): Suspect {
  return {
    sha: SHA(digit),
    parents: [],
    author_name: 'Ann',
    author_email: '',
    authored_at: null,
    committed_at: null,
    title: `Change ${digit}`,
    message: '',
    files: null,
    files_total: null,
    lines_added: null,
    lines_removed: null,
    dependency_updates: null,
    url: null,
    suspicion: { probability: share, changes_binary: null, reasons: [] },
    ...changed,
  };
}

function found(commits: Suspect[], changed: Partial<Found> = {}): Found {
  return {
    repository: { id: 'r', name: 'monorepo', kind: 'github', web_url: null },
    unknown_reason: null,
    good: SHA('0'),
    bad: SHA('9'),
    total: commits.length,
    complete: true,
    is_ancestor: true,
    closure_state: 'known',
    commits,
    ...changed,
  };
}

function show() {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">
        <CommitsBetween
          serviceId="s"
          good={SHA('0')}
          bad={SHA('9')}
          mayWrite
          commitLink={(_, sha, words) => <a href={`#${sha}`}>{words}</a>}
        />
      </MantineProvider>
    </QueryClientProvider>,
  );
}

const titles = () =>
  within(screen.getByRole('table', { name: 'Commits' }))
    .getAllByRole('rowheader')
    .map((cell) => within(cell).getByRole('link').textContent);

describe('CommitsBetween', () => {
  it('sorts commits by suspicion and lists the reasons, or sorts them by date', async () => {
    const reasons = [{ kind: 'package' as const, sentence: 'Touches store.' }];
    const suspects = [
      aSuspect('3', 0.1),
      aSuspect('2', 0.9, {
        suspicion: { probability: 0.9, changes_binary: true, reasons },
        lines_added: 12,
        lines_removed: 3,
      }),
      aSuspect('1', 0),
    ];
    server.use(http.get(at('/services/s/commits'), () => HttpResponse.json(found(suspects))));
    show();
    await screen.findByText('3 commits between 0000000000 and 9999999999 in monorepo.');
    expect(titles()).toEqual(['Change 2', 'Change 3', 'Change 1']);
    expect(screen.getByRole('table')).toHaveTextContent('Touches store.');
    expect(screen.getByRole('table')).toHaveTextContent('+12 −3');
    expect(screen.queryByRole('button', { name: /change the binary/ })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Date' }));
    expect(titles()).toEqual(['Change 3', 'Change 2', 'Change 1']);
  });

  it('lists caveats, and requests the package closures of the range', async () => {
    let asked: unknown = null;
    const partly = found([aSuspect('2', 1)], {
      complete: false,
      is_ancestor: false,
      total: 700,
      closure_state: 'unknown',
    });
    server.use(
      http.get(at('/services/s/commits'), () => HttpResponse.json(partly)),
      http.post(at('/services/s/package-closures'), async ({ request }) => {
        asked = await request.json();
        return HttpResponse.json({ job_id: null });
      }),
    );
    show();
    const caveats = await screen.findByRole('list', { name: 'Caveats' });
    expect(within(caveats).getAllByRole('listitem')).toHaveLength(3);
    await userEvent.click(screen.getByRole('button', { name: /change the binary/ }));
    expect(asked).toEqual({ good: SHA('0'), bad: SHA('9') });
  });

  it('shows that no repository is linked', async () => {
    const unknown_reason = 'No repository is linked to this service. Link one.';
    server.use(
      http.get(at('/services/s/commits'), () =>
        HttpResponse.json({ ...found([]), repository: null, unknown_reason }),
      ),
    );
    show();
    expect(await screen.findByText(unknown_reason)).toBeInTheDocument();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
