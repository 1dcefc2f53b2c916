import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { LinkedIssue } from '../../../api';
import { at, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import { IssueAction } from './IssueAction';

const PATH = at('/linked-issues/regression/r1');
const SHOP = { channel_id: 'c1', kind: 'github' as const, repository: 'northwind/shop' };
const CART = { channel_id: 'c2', kind: 'gitlab' as const, repository: 'northwind/cart' };

const issue = (changed: Partial<LinkedIssue> = {}): LinkedIssue => ({
  state: null,
  number: null,
  url: null,
  problem: null,
  trackers: [SHOP],
  ...changed,
});

const serve = (answer: LinkedIssue) => server.use(http.get(PATH, () => HttpResponse.json(answer)));
const open = (mayWrite = true) =>
  show(<IssueAction kind="regression" id="r1" mayWrite={mayWrite} />);

describe('IssueAction', () => {
  it('creates an issue in the selected repository and links it', async () => {
    const sent: unknown[] = [];
    serve(issue({ trackers: [SHOP, CART] }));
    server.use(
      http.post(PATH, async ({ request }) => {
        sent.push(await request.json());
        const url = 'https://code.example/1';
        return HttpResponse.json(issue({ state: 'created', number: 12, url }), { status: 202 });
      }),
    );
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Create issue' }));
    await user.click(await screen.findByRole('menuitem', { name: 'northwind/cart', hidden: true }));
    const link = await screen.findByRole('link', { name: 'Issue #12' });
    expect(link).toHaveAttribute('href', 'https://code.example/1');
    expect(sent).toEqual([{ channel_id: 'c2' }]);
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });

  it('shows why the issue was not created and offers a retry', async () => {
    const problem = {
      type: 'x',
      title: 'The receiver rejected the notification',
      status: 422,
      detail: 'GitHub answered 403.',
      resolution: 'Create a channel with another token.',
    };
    serve(issue({ state: 'failed', problem }));
    open();
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Create a channel with another token.',
    );
    expect(screen.getByRole('button', { name: 'Create issue' })).toBeEnabled();
  });

  it('is disabled without a channel of a code host', async () => {
    serve(issue({ trackers: [] }));
    open();
    const button = await screen.findByRole('button', { name: 'Create issue' });
    expect(button).toBeDisabled();
    expect(button).toHaveAttribute('title', 'Add a channel of kind GitHub or GitLab first');
  });

  it('shows viewers the link to the issue', async () => {
    serve(issue({ state: 'created', number: 3, url: 'https://code.example/3' }));
    open(false);
    expect(await screen.findByRole('link', { name: 'Issue #3' })).toBeInTheDocument();
  });
});
