import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Bisect } from '../../../../api';
import { aBisect } from '../../../../testing/bisect-fixtures';
import { at, problem, server } from '../../../../testing/mock-api';
import { enter, show } from '../../../../testing/render';
import { BisectActions } from './BisectActions';

/** Records the requests to one path of a bisect; responds with `answer`. */
function record(
  method: 'post' | 'patch',
  path: string,
  answer: () => Response = () => HttpResponse.json(aBisect()),
): unknown[] {
  const sent: unknown[] = [];
  server.use(
    http[method](at(`/bisects/:id${path}`), async ({ request }) => {
      sent.push(await request.json());
      return answer();
    }),
  );
  return sent;
}

type Shown = { isChosen?: boolean; onDeleted?: () => void };

function showActions(changed: Partial<Bisect> = {}, { isChosen = false, onDeleted }: Shown = {}) {
  const bisect = aBisect(changed);
  return show(
    <BisectActions
      bisect={bisect}
      candidate={isChosen ? aBisect().levels[0]!.candidates[0]! : null}
      onDeleted={onDeleted ?? (() => undefined)}
    />,
  );
}

const button = (name: string) => screen.getByRole('button', { name });

describe('BisectActions of an active bisect', () => {
  it.each([
    ['searching', 'Pause', 'pause'],
    ['paused', 'Resume', 'resume'],
  ] as const)('while %s, sends the action of the %s button', async (state, name, action) => {
    const sent = record('post', '/actions');
    const { user } = showActions({ state });
    await user.click(button(name));
    await waitFor(() => expect(sent).toMatchObject([{ action }]));
    expect(screen.queryByRole('button', { name: 'Approve the next round' })).toBeNull();
  });

  it('sends the approval of the next round when the bisect waits for it', async () => {
    const sent = record('post', '/actions');
    const { user } = showActions({ state: 'waiting-approval', needs_approval: true });
    await user.click(button('Approve the next round'));
    await waitFor(() => expect(sent).toMatchObject([{ action: 'approve' }]));
  });

  it('cancels only after a confirmation that warns that the bisect cannot be resumed', async () => {
    const sent = record('post', '/actions');
    const { user } = showActions();
    await user.click(button('Cancel'));
    const question = await screen.findByRole('dialog', { name: 'Cancel bisect 14?' });
    expect(question).toHaveTextContent('the bisect cannot be resumed');
    expect(sent).toEqual([]);
    await user.click(within(question).getByRole('button', { name: 'Cancel bisect' }));
    await waitFor(() => expect(sent).toMatchObject([{ action: 'cancel' }]));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('shows the error and its resolution when the server rejects an action', async () => {
    record('post', '/actions', () =>
      problem(409, { detail: 'It ended meanwhile.', resolution: 'Reload the page.' }),
    );
    const { user } = showActions();
    await user.click(button('Pause'));
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not save the changes · It ended meanwhile.');
    expect(alert).toHaveTextContent('Reload the page.');
    expect(button('Pause')).toBeEnabled();
  });

  it('disables "Override verdict" and "Add probe", with the reason, until a candidate is selected', () => {
    showActions();
    for (const name of ['Override verdict', 'Add probe']) {
      expect(button(name)).toBeDisabled();
      expect(button(name)).toHaveAttribute(
        'title',
        'Select a candidate in the chart or the table first',
      );
    }
  });

  it('requests a probe of the selected candidate', async () => {
    const sent = record('post', '/probes');
    const { user } = showActions({}, { isChosen: true });
    await user.click(button('Add probe'));
    await waitFor(() => expect(sent).toEqual([{ candidate: 'c1' }]));
  });
});

describe('override dialog of BisectActions', () => {
  it('requires a reason and sends it with the verdict', async () => {
    const sent = record('post', '/overrides');
    const { user } = showActions({}, { isChosen: true });
    await user.click(button('Override verdict'));
    const dialog = within(
      await screen.findByRole('dialog', { name: 'Override the verdict of cccccccccc' }),
    );
    const save = dialog.getByRole('button', { name: 'Save override' });
    expect(dialog.getByRole('radio', { name: 'not slower' })).toBeChecked();
    await user.type(dialog.getByLabelText('Reason'), '  ');
    expect(save).toBeDisabled();
    expect(save).toHaveAttribute('title', 'Enter a reason');
    await user.click(dialog.getByRole('radio', { name: 'not buildable' }));
    await enter(user, dialog.getByLabelText('Reason'), 'a broken generator ');
    await user.click(save);
    await waitFor(() =>
      expect(sent).toEqual([
        { candidate: 'c1', verdict: 'unbuildable', reason: 'a broken generator' },
      ]),
    );
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('shows the error and keeps the typed reason when the server rejects the override', async () => {
    record('post', '/overrides', () => problem(409, { detail: 'It is being measured.' }));
    const { user } = showActions({}, { isChosen: true });
    await user.click(button('Override verdict'));
    await enter(user, await screen.findByLabelText('Reason'), 'bad node');
    await user.keyboard('{Enter}');
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not save the override · It is being measured.',
    );
    expect(screen.getByLabelText('Reason')).toHaveValue('bad node');
  });
});

describe('BisectActions of an ended bisect', () => {
  it('shows "Try again" only if the bisect failed before it had candidates', () => {
    const { unmount } = showActions({ state: 'failed', levels: [] });
    expect(button('Try again')).toBeEnabled();
    expect(screen.queryByRole('button', { name: 'Pause' })).not.toBeInTheDocument();
    unmount();
    showActions({ state: 'failed' });
    expect(screen.queryByRole('button', { name: 'Try again' })).not.toBeInTheDocument();
  });

  it('proposes additional deployments up to the largest limit, and sends the new limit on "Continue"', async () => {
    const sent = record('patch', '');
    const cost = { ...aBisect().cost, limit: 960 };
    const { user } = showActions({ state: 'stopped', cost });
    await user.click(button('Continue'));
    const dialog = within(await screen.findByRole('dialog', { name: 'Continue bisect 14' }));
    const further = dialog.getByLabelText('Additional deployments');
    expect(further).toHaveValue('40');
    expect(dialog.getByText('New limit: 1,000 deployments')).toBeInTheDocument();
    await user.clear(further);
    expect(dialog.getByRole('button', { name: 'Continue' })).toBeDisabled();
    expect(dialog.getByText('New limit: –')).toBeInTheDocument();
    await user.type(further, '5');
    await user.click(dialog.getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(sent).toEqual([{ settings: { max_deployments: 965 } }]));
  });

  it('disables "Continue", with the reason, at the largest deployment limit', () => {
    showActions({ state: 'stopped', cost: { ...aBisect().cost, limit: 1000 } });
    expect(button('Continue')).toBeDisabled();
    expect(button('Continue')).toHaveAttribute('title', 'The limit cannot exceed 1000 deployments');
  });

  it('deletes the bisect after a confirmation and leaves its page', async () => {
    const deleted: (string | null)[] = [];
    server.use(
      http.get(at('/bisects/:id/artifacts'), () =>
        HttpResponse.json({ files: 0, size_bytes: 0, compared_artifacts: 0 }),
      ),
      http.delete(at('/bisects/:id'), ({ request }) => {
        deleted.push(new URL(request.url).searchParams.get('delete_artifacts'));
        return new HttpResponse(null, { status: 204 });
      }),
    );
    let isLeft = false;
    const { user } = showActions({ state: 'found' }, { onDeleted: () => (isLeft = true) });
    await user.click(button('More'));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete bisect', hidden: true }));
    const question = await screen.findByRole('dialog', { name: 'Delete bisect 14?' });
    expect(within(question).queryByRole('checkbox')).not.toBeInTheDocument();
    expect(deleted).toEqual([]);
    await user.click(within(question).getByRole('button', { name: 'Delete bisect' }));
    await waitFor(() => expect(isLeft).toBe(true));
    expect(deleted).toEqual(['false']);
  });
});
