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

describe('a bisect that goes on', () => {
  it.each([
    ['searching', 'Pause', 'pause'],
    ['paused', 'Resume', 'resume'],
  ] as const)('while it is %s, can be changed: %s', async (state, name, action) => {
    const sent = record('post', '/actions');
    const { user } = showActions({ state });
    await user.click(button(name));
    await waitFor(() => expect(sent).toMatchObject([{ action }]));
    expect(screen.queryByRole('button', { name: 'Approve the next round' })).toBeNull();
  });

  it('is approved where it waits for that', async () => {
    const sent = record('post', '/actions');
    const { user } = showActions({ state: 'waiting-approval', needs_approval: true });
    await user.click(button('Approve the next round'));
    await waitFor(() => expect(sent).toMatchObject([{ action: 'approve' }]));
  });

  it('is cancelled after a question that says what is lost', async () => {
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

  it('says why the server does not pause it', async () => {
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

  it('says what to select before a verdict is overridden or a probe is added', () => {
    showActions();
    for (const name of ['Override verdict', 'Add probe']) {
      expect(button(name)).toBeDisabled();
      expect(button(name)).toHaveAttribute(
        'title',
        'Select a candidate in the chart or the table first',
      );
    }
  });

  it('adds a probe of the selected candidate', async () => {
    const sent = record('post', '/probes');
    const { user } = showActions({}, { isChosen: true });
    await user.click(button('Add probe'));
    await waitFor(() => expect(sent).toEqual([{ candidate: 'c1' }]));
  });
});

describe('overriding a verdict', () => {
  it('needs a reason, and is sent with it', async () => {
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

  it('that is refused keeps the form with the reason', async () => {
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

describe('a bisect that has ended', () => {
  it('is tried again only if it failed before it had candidates', () => {
    const { unmount } = showActions({ state: 'failed', levels: [] });
    expect(button('Try again')).toBeEnabled();
    expect(screen.queryByRole('button', { name: 'Pause' })).not.toBeInTheDocument();
    unmount();
    showActions({ state: 'failed' });
    expect(screen.queryByRole('button', { name: 'Try again' })).not.toBeInTheDocument();
  });

  it('continues with as many deployments again, or as many as the limit allows', async () => {
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

  it('does not continue beyond the largest limit', () => {
    showActions({ state: 'stopped', cost: { ...aBisect().cost, limit: 1000 } });
    expect(button('Continue')).toBeDisabled();
    expect(button('Continue')).toHaveAttribute('title', 'The limit cannot exceed 1000 deployments');
  });

  it('is deleted after a question, and the page is left', async () => {
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
