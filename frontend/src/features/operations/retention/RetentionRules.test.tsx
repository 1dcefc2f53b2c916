import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Retention, RetentionRule } from '../../../api';
import { at, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import { RetentionRules } from './RetentionRules';

const rule = (changed: Partial<RetentionRule>): RetentionRule => ({
  kind: 'profile.cpu',
  retention_days: null,
  default_days: null,
  min_days: 1,
  max_days: 3650,
  can_be_unlimited: true,
  is_artifact_kind: true,
  item_count: 0,
  bytes: 0,
  oldest_at: null,
  ...changed,
});

const RULES = [
  rule({ item_count: 12, bytes: 4096, oldest_at: '2026-09-01T08:00:00Z' }),
  rule({ kind: 'metrics', retention_days: 30, can_be_unlimited: false, is_artifact_kind: false }),
];

/** Serves the rules; each preview has `files` artifacts. Returns the requests that were sent. */
function serve(files = 0, refused?: () => Response) {
  const sent: unknown[] = [];
  const previewed: string[][] = [];
  let rules = RULES;
  server.use(
    http.get(at('/retention'), () => HttpResponse.json({ rules })),
    http.get(at('/retention/preview'), ({ request }) => {
      previewed.push(new URL(request.url).searchParams.getAll('rule'));
      return HttpResponse.json({ files, bytes: files * 1024, retained_artifacts: 2, kinds: [] });
    }),
    http.put(at('/retention'), async ({ request }) => {
      const body = (await request.json()) as Retention;
      sent.push(body);
      if (refused) return refused();
      rules = rules.map((one) => ({
        ...one,
        ...body.rules.find(({ kind }) => kind === one.kind),
      }));
      return HttpResponse.json({ rules });
    }),
  );
  return { sent, previewed };
}

const limitTo90Days = async (user: ReturnType<typeof show>['user']) => {
  await user.click(await screen.findByRole('checkbox', { name: 'CPU profiles: unlimited' }));
};
const save = () => screen.getByRole('button', { name: 'Save' });

describe('RetentionRules', () => {
  it('shows the rules without a form to users who cannot manage the team', async () => {
    serve();
    show(<RetentionRules mayManage={false} />);
    const [, cpu, samples] = await screen.findAllByRole('row');
    expect(cpu).toHaveTextContent(/CPU profiles.*Unlimited.*12 · 4/);
    expect(samples).toHaveTextContent(/Metric samples.*30 days/);
    expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
  });

  it('offers unlimited retention only where the server allows it', async () => {
    serve();
    show(<RetentionRules mayManage />);
    expect(await screen.findAllByRole('checkbox')).toHaveLength(1);
    expect(screen.getByLabelText('Retention of Metric samples, days')).toHaveValue('30');
  });

  it('previews the deletion, and saves only after confirmation', async () => {
    const { sent, previewed } = serve(3);
    const { user } = show(<RetentionRules mayManage />);
    await limitTo90Days(user);
    expect(await screen.findByText(/Would delete 3 artifacts/)).toBeInTheDocument();
    expect(screen.getByRole('status')).toHaveTextContent(/2 of the same age stay/);
    expect(previewed).toEqual([['profile.cpu:90']]);

    await user.click(save());
    const question = await screen.findByRole('dialog');
    expect(sent).toEqual([]);
    await user.click(within(question).getByRole('button', { name: 'Cancel' }));
    expect(sent).toEqual([]);

    await user.click(save());
    await user.click(await screen.findByRole('button', { name: 'Delete artifacts' }));
    await waitFor(() =>
      expect(sent).toEqual([{ rules: [{ kind: 'profile.cpu', retention_days: 90 }] }]),
    );
    expect(await screen.findByLabelText('Retention of CPU profiles, days')).toHaveValue('90');
    await waitFor(() => {
      expect(save()).toBeDisabled();
    });
  });

  it('saves without confirmation if nothing would be deleted', async () => {
    const { sent } = serve(0);
    const { user } = show(<RetentionRules mayManage />);
    await limitTo90Days(user);
    expect(await screen.findByText(/Nothing would be deleted now/)).toBeInTheDocument();
    await user.click(save());
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  it('restores the saved rules with Undo, and disables Save without changes', async () => {
    serve();
    const { user } = show(<RetentionRules mayManage />);
    await limitTo90Days(user);
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(screen.getByRole('checkbox', { name: 'CPU profiles: unlimited' })).toBeChecked();
    expect(save()).toBeDisabled();
  });

  it('shows why the rules could not be saved, and keeps the input', async () => {
    serve(0, () =>
      problem(422, { title: 'Invalid', detail: 'The retention of audit is too short.' }),
    );
    const { user } = show(<RetentionRules mayManage />);
    await limitTo90Days(user);
    await screen.findByText(/Nothing would be deleted now/);
    await user.click(save());
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'The retention of audit is too short.',
    );
    expect(screen.getByLabelText('Retention of CPU profiles, days')).toHaveValue('90');
  });

  it('reloads the rules with Try again if they could not be loaded', async () => {
    server.use(http.get(at('/retention'), () => problem(400, { detail: 'Not now.' })));
    const { user } = show(<RetentionRules mayManage />);
    const again = await screen.findByRole('button', { name: 'Try again' });
    serve();
    await user.click(again);
    expect(await screen.findByText('CPU profiles')).toBeInTheDocument();
  });
});
