import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { ComparisonOut } from '../../../api/generated/types.gen';
import { aComparison, aJob } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import { FailedComparison, RunningComparison } from './ComparisonProgress';

const PROBLEM = {
  type: 'urn:slowpath:gone',
  title: 'Artifacts are missing',
  status: 422,
  detail: 'Two of its files were deleted.',
  resolution: 'Upload them again.',
};

const open = { verdict: null, result: null, finished_at: null };
const running = (changed: Partial<ComparisonOut> = {}) =>
  aComparison({ ...open, views: [], state: 'running', job: aJob(), ...changed });
const failed = (changed: Partial<ComparisonOut> = {}) =>
  aComparison({ ...open, views: [], state: 'failed', problem: PROBLEM, ...changed });

const showRunning = (comparison: ComparisonOut, mayWrite = true) =>
  show(<RunningComparison comparison={comparison} mayWrite={mayWrite} onGone={() => undefined} />);
const showFailed = (comparison: ComparisonOut, mayWrite = true) =>
  show(<FailedComparison comparison={comparison} mayWrite={mayWrite} onGone={() => undefined} />);

const title = () => screen.getByRole('heading', { level: 1 });
const side = (artifacts: number, label = '229227f') => ({
  label,
  artifacts,
  artifact_ids: [],
  time_range: null,
  labels: [],
  source: null,
  build_id: null,
  left_out: null,
});

describe('RunningComparison', () => {
  it.each([
    [1, 1, 'Comparing 1 candidate file with 1 base file'],
    [8, 12, 'Comparing 12 candidate files with 8 base files'],
  ])('shows the number of files of both sides: %i and %i', (base, candidate, text) => {
    showRunning(running({ base: side(base), candidate: side(candidate) }));
    expect(title()).toHaveTextContent(text);
  });

  it('shows no number of files for metrics', () => {
    const range = {
      ...side(0),
      time_range: {
        service_id: 's1',
        environment_id: 'e1',
        from: '2026-11-20T09:00:00Z',
        to: '2026-11-20T10:00:00Z',
      },
    };
    showRunning(running({ base: range, candidate: range, artifact_kinds: [] }));
    expect(title()).toHaveTextContent(/^Comparing metrics of two time ranges$/u);
  });

  it.each([
    ['the current progress', aJob({ progress: 0.426 }), '43', 'merging 8 profiles, 3 done'],
    ['that the job started', aJob({ progress: 0, step: '' }), '0', 'started'],
    [
      'that the job waits',
      aJob({ state: 'waiting', progress: 0, step: 'merging' }),
      '0',
      'waiting for a worker',
    ],
  ])('shows %s', (_, job, percent, step) => {
    showRunning(running({ job }));
    expect(screen.getByText(step)).toBeInTheDocument();
    const bar = screen.getByRole('progressbar', { name: 'Progress' });
    expect(bar).toHaveAttribute('aria-valuenow', percent);
    expect(bar).toHaveAttribute('aria-valuetext', `${percent}%`);
  });

  it('disables "Cancel" after a cancellation was requested', () => {
    showRunning(running({ job: aJob({ cancel_requested: true }) }));
    expect(screen.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  });

  it('shows the error of a failed cancellation and keeps "Cancel" enabled', async () => {
    server.use(
      http.post(at('/jobs/:id/cancel'), () =>
        problem(409, { title: 'Not running', detail: 'The job is finished.' }),
      ),
    );
    const { user } = showRunning(running());
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('The job is finished.');
    expect(screen.getByRole('button', { name: 'Cancel' })).toBeEnabled();
  });

  it('shows no actions to viewers', () => {
    showRunning(running(), false);
    expect(screen.queryByRole('button')).toBeNull();
  });
});

describe('FailedComparison', () => {
  it('shows the problem and its resolution', () => {
    showFailed(failed());
    expect(title()).toHaveTextContent('This comparison failed');
    expect(screen.getByRole('alert')).toHaveTextContent(
      'Artifacts are missing · Two of its files were deleted.Upload them again.',
    );
  });

  it('shows the problem of the job when the comparison has none', () => {
    showFailed(failed({ problem: null, job: aJob({ state: 'failed', problem: PROBLEM }) }));
    expect(screen.getByRole('alert')).toHaveTextContent('Two of its files were deleted.');
  });

  it('shows that no error message was recorded', () => {
    showFailed(failed({ problem: null }));
    expect(screen.getByRole('alert')).toHaveTextContent('No error message recorded.');
  });

  it('shows no error for a cancelled comparison', () => {
    showFailed(failed({ state: 'cancelled', problem: null }));
    expect(title()).toHaveTextContent('This comparison was cancelled');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it.each(['failed', 'cancelled'] as const)(
    'shows why a %s comparison cannot be compared again',
    async (state) => {
      server.use(
        http.post(at('/comparisons/:id/retry'), () =>
          problem(422, { title: 'Not possible', detail: 'Its files are gone.' }),
        ),
      );
      const { user } = showFailed(failed({ state }));
      await user.click(screen.getByRole('button', { name: 'Compare again' }));
      await waitFor(() =>
        expect(screen.getByRole('alert')).toHaveTextContent('Its files are gone.'),
      );
      expect(screen.getByRole('button', { name: 'Compare again' })).toBeEnabled();
    },
  );

  it('requests a retry on "Compare again"', async () => {
    const comparison = failed();
    const asked: unknown[] = [];
    server.use(
      http.post(at('/comparisons/:id/retry'), ({ params }) => {
        asked.push(params.id);
        return HttpResponse.json(comparison);
      }),
    );
    const { user } = showFailed(comparison);
    await user.click(screen.getByRole('button', { name: 'Compare again' }));
    await waitFor(() => expect(asked).toEqual([comparison.id]));
  });

  it('shows no actions to viewers', () => {
    showFailed(failed(), false);
    expect(screen.queryByRole('button')).toBeNull();
  });
});
