import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { PreflightOut } from '../api';
import { BISECT, aBisect } from '../testing/bisect-fixtures';
import { at, server } from '../testing/mock-api';
import { open } from '../testing/render';
import {
  BAD,
  GOOD,
  REGRESSION,
  aCheck,
  aPreflight,
  anOffer,
  checked,
  sent,
  serve,
} from '../testing/start-bisect-fixtures';

const start = () => screen.findByRole('button', { name: 'Start bisect' });

describe('Rejected repository credentials', () => {
  it('are replaced on the new bisect page, and the check is repeated', async () => {
    const refused = aCheck({
      key: 'credentials',
      state: 'missing',
      title: 'Credentials are refused',
      fixes: [
        { action: 'set-credentials', label: 'Enter another token for monorepo', value: 'r' },
        { action: 'run-again', label: 'Check again', value: '' },
      ],
    });
    serve(anOffer(), aPreflight({ checks: [refused] }));
    const updated: unknown[] = [];
    server.use(
      http.patch(at('/repositories/:id'), async ({ request, params }) => {
        updated.push([params.id, await request.json()]);
        return HttpResponse.json({});
      }),
    );
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    await user.click(
      await screen.findByRole('button', { name: 'Enter another token for monorepo' }),
    );
    await user.type(await screen.findByLabelText(/Access token/u), 'tok-2');
    await user.click(screen.getByRole('button', { name: 'Save and check' }));
    await waitFor(() =>
      expect(updated).toEqual([['r', { credentials: { kind: 'bearer', token: 'tok-2' } }]]),
    );
    await waitFor(() => expect(checked.at(-1)).toMatchObject({ is_repeated: true }));
  });
});

describe('New bisect page', () => {
  const runner = aCheck({ key: 'runner', title: 'A runner is online', value: '1' });
  const measured = (changed: Partial<NonNullable<PreflightOut['boundary_check']>>) => ({
    bisect_id: BISECT,
    number: 12,
    state: 'measured' as const,
    expires_at: null,
    sentence: 'The ends differ.',
    ...changed,
  });
  const path = `/t/northwind/bisects/new?regression=${REGRESSION}`;

  it('disables "Measure both ends", but not "Start bisect", while no runner is online', async () => {
    serve(anOffer(), aPreflight());
    open(path);
    const button = await screen.findByRole('button', { name: 'Measure both ends' });
    await waitFor(() => expect(button).toHaveAttribute('title', 'No runner is online'));
    expect(button).toBeDisabled();
    expect(await start()).toBeEnabled();
  });

  it('starts a bisect that pauses after measuring both boundaries', async () => {
    serve(anOffer(), aPreflight({ checks: [runner] }));
    const { user } = open(path);
    const button = await screen.findByRole('button', { name: 'Measure both ends' });
    await waitFor(() => expect(button).toBeEnabled());
    await user.click(button);
    await waitFor(() =>
      expect(sent).toMatchObject([
        { good_sha: GOOD, bad_sha: BAD, settings: { pauses_after_boundaries: true } },
      ]),
    );
  });

  it('shows why a boundary could not be measured, and retries and cancels the measurement', async () => {
    const failed = aCheck({
      key: 'good',
      state: 'missing',
      title: 'Good boundary has no measurement',
      detail: 'The good end could not be built: no disk',
      fixes: [{ action: 'measure-again', label: 'Try again', value: '' }],
    });
    serve(
      anOffer(),
      aPreflight({ checks: [runner, failed], boundary_check: measured({ state: 'running' }) }),
    );
    const actions: unknown[] = [];
    server.use(
      http.post(at('/bisects/:bisect/actions'), async ({ request }) => {
        actions.push(((await request.json()) as { action: string }).action);
        return HttpResponse.json(aBisect());
      }),
    );
    const { user } = open(path);
    expect(await screen.findByText('The good end could not be built: no disk')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Bisect 12' })).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await user.click(screen.getByRole('button', { name: 'Cancel measuring' }));
    await waitFor(() => expect(actions).toEqual(['retry', 'cancel']));
  });

  it('shows when the boundary check is discarded, and that the estimate covers only what remains', async () => {
    const expires_at = '2026-12-05T09:30:00Z';
    serve(anOffer(), aPreflight({ checks: [runner], boundary_check: measured({ expires_at }) }));
    open(path);
    expect(await screen.findByText(/is discarded on/u)).toHaveTextContent(
      /unless it is continued/u,
    );
    expect(screen.getByRole('button', { name: 'Discard' })).toBeVisible();
    expect(screen.getByText(/^what remains,/u)).toBeVisible();
  });

  it('shows that measurements of an expired boundary check are still used, and can be discarded', async () => {
    const expires_at = '2026-11-05T09:30:00Z';
    const boundary_check = measured({ expires_at, state: 'expired' });
    serve(anOffer(), aPreflight({ checks: [runner], boundary_check }));
    open(path);
    expect(await screen.findByText(/was discarded on/u)).toHaveTextContent(
      /uses its measurements/u,
    );
    expect(screen.getByRole('button', { name: 'Discard measurements' })).toBeVisible();
  });

  it('keeps the chosen criterion in the address', async () => {
    serve(anOffer(), aPreflight());
    const { user } = open(path);
    const rows = within(await screen.findByRole('radiogroup', { name: 'Criterion' }));
    expect(window.location.hash).toBe('');
    await user.click(rows.getByText('CPU in user code'));
    await waitFor(() => expect(window.location.hash).toMatch(/^#draft=.*user%20code/u));
  });
});
