import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Bisect, Probe } from '../../../../api';
import { aBisect, aProbe } from '../../../../testing/bisect-fixtures';
import { aComparison } from '../../../../testing/api-factories';
import { at, problem, server } from '../../../../testing/mock-api';
import { enter, show } from '../../../../testing/render';
import { Probes } from './Probes';

const MEASURED = aProbe().measurements[0]!;

type Shown = { mayWrite?: boolean; onOpenComparison?: (id: string) => void };

const showProbes = (changed: Partial<Bisect> = {}, props: Shown = {}) =>
  show(
    <Probes
      bisect={aBisect(changed)}
      mayWrite={props.mayWrite ?? true}
      onOpenComparison={props.onOpenComparison ?? (() => undefined)}
    />,
  );

const showProbe = (changed: Partial<Probe>, props: Shown = {}) =>
  showProbes({ probes: [aProbe(changed)] }, props);

const section = (name: RegExp) => screen.getByRole('heading', { level: 2, name });

describe('Probes', () => {
  it('shows the latest probe first, and another probe when its bar is chosen', async () => {
    const { user } = showProbes();
    expect(section(/^Measurements of probe 2/)).toHaveTextContent(
      'soaking, 0 of at most 4 measurements',
    );
    const bars = screen.getByRole('group', { name: 'Probes over time' });
    await user.click(
      within(bars).getByRole('button', { name: /^Probe 1, probe, d1f07aa000: slower/ }),
    );
    expect(section(/^Measurements of probe 1/)).toHaveTextContent('slower');
    expect(screen.getByTitle('9.0 to 1 for slower')).toHaveTextContent('very likely slower');
    expect(
      screen.getByRole('img', { name: /^CPU in stack growth: good, 2.*bad, 1.*probe 1, 1/ }),
    ).toBeInTheDocument();
  });

  it('leaves out overrides, and shows the requested deployments and the runners', () => {
    showProbes({
      probes: [
        aProbe(),
        aProbe({ number: 2, state: 'queued', slot: null, verdict: null }),
        aProbe({ number: 3, purpose: 'override' }),
      ],
    });
    expect(screen.getByText('round 2 · 1 deployment requested · by prod-canary-1')).toBeVisible();
    expect(section(/^Measurements of probe 2/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /^Probe 3/ })).not.toBeInTheDocument();
  });

  it('shows no requested deployments once the bisect has ended', () => {
    showProbes({ state: 'cancelled', probes: [aProbe({ state: 'queued', runner: null })] });
    expect(screen.getByText('round 2')).toBeInTheDocument();
    expect(screen.queryByText(/requested/)).not.toBeInTheDocument();
  });

  it('shows the production baseline when its button is clicked', async () => {
    const { user } = showProbes({
      probes: [
        aProbe({ number: 1, purpose: 'baseline', title: 'good in production', slot: null }),
        aProbe({ number: 2 }),
      ],
    });
    await user.click(screen.getByRole('button', { name: 'good in production, 1 window' }));
    expect(section(/^Measurements of probe 1/)).toBeInTheDocument();
  });
});

describe('measurements of a probe', () => {
  it.each([
    [{ state: 'soaking' as const, verdict: 'measuring' as const }, 'No measurements yet.'],
    [{ state: 'lost' as const, verdict: null }, 'No measurement has a value.'],
    [{ state: 'done' as const, verdict: null }, 'No measurement has a value.'],
  ])('are replaced by an explanation when there are none: %o', (changed, words) => {
    show(
      <Probes
        bisect={aBisect({
          probes: [aProbe({ ...changed, measurements: [] })],
          evidence: { ...aBisect().evidence, good: [], bad: [], control: [] },
        })}
        mayWrite
        onOpenComparison={() => undefined}
      />,
    );
    expect(screen.getByText(words)).toBeInTheDocument();
  });

  it('leave out invalidated values and show the error of a failed measurement', () => {
    showProbe({
      measurements_requested: 3,
      verdict: null,
      state: 'collecting',
      measurements: [
        { ...MEASURED, value: 0.7, requests: 1284 },
        { ...MEASURED, index: 1, value: 0.1, invalidated: true },
        { ...MEASURED, index: 2, value: null, problem: 'measure.sh exited with 3' },
      ],
    });
    expect(section(/^Measurements of probe 1/)).toHaveTextContent(
      'collecting, 2 of at most 4 measurements',
    );
    expect(screen.getByRole('img', { name: /probe 1, 1/ })).toBeInTheDocument();
    expect(screen.getByText('Measurement 3: measure.sh exited with 3')).toBeInTheDocument();
    expect(
      screen.getByText(/^Measured from 1,284 requests .* the measurement window\.$/),
    ).toBeInTheDocument();
  });

  it('are shown with the module overrides, the reason for the end, and the last log lines', () => {
    showProbe({
      state: 'unhealthy',
      reason: 'no answer within 30 s',
      overrides: { 'example.com/libx': 'e'.repeat(40), 'example.com/liby': 'v1.2.3' },
    });
    expect(screen.getByText('did not become healthy: no answer within 30 s')).toBeInTheDocument();
    expect(screen.getByText('eeeeeeeeee').parentElement).toHaveTextContent('with libx eeeeeeeeee');
    expect(screen.getByText('v1.2.3')).toBeInTheDocument();
    expect(screen.getByLabelText('End of the log')).toHaveTextContent('built in 12 s');
  });

  it('are preceded by a preview of the posterior after each possible verdict', () => {
    showProbe({
      measurements: [],
      posterior_preview: {
        if_slower: { sha: 'a'.repeat(40), title: 'first', posterior: 0.9996 },
        if_not_slower: null,
      },
    });
    expect(screen.getByText(/^If slower/)).toHaveTextContent(
      'If slower: aaaaaaaaaa is virtually certain; if not, culprit not in range.',
    );
  });
});

describe('actions on a probe', () => {
  const withFiles = [
    aProbe({ number: 1, measurements: [{ ...MEASURED, artifact_ids: ['slow'] }] }),
    aProbe({
      number: 2,
      purpose: 'control',
      candidate: 'good',
      measurements: [{ ...MEASURED, artifact_ids: ['control'] }],
    }),
  ];

  it('create a comparison with the control of its round and open it', async () => {
    const sent: unknown[] = [];
    server.use(
      http.post(at('/comparisons'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(aComparison({ id: 'c9' }), { status: 202 });
      }),
    );
    const opened: string[] = [];
    const { user } = showProbes(
      { probes: [...withFiles].reverse() },
      { onOpenComparison: (id) => opened.push(id) },
    );
    await user.click(screen.getByRole('button', { name: 'Diff against control' }));
    await waitFor(() => expect(opened).toEqual(['c9']));
    expect(sent).toMatchObject([
      {
        name: 'Bisect 14, probe 1 against the good side',
        base: { artifact_ids: ['control'] },
        candidate: { artifact_ids: ['slow'] },
      },
    ]);
  });

  it('show the error when the comparison is rejected', async () => {
    server.use(http.post(at('/comparisons'), () => problem(422, { detail: 'A file is gone.' })));
    const { user } = showProbes({ probes: [...withFiles].reverse() });
    await user.click(screen.getByRole('button', { name: 'Diff against control' }));
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not compare · A file is gone.',
    );
  });

  it('invalidate the probe with a required reason', async () => {
    const sent: unknown[] = [];
    server.use(
      http.post(at('/bisects/:id/invalidations'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(aBisect());
      }),
    );
    const { user } = showProbe({});
    await user.click(screen.getByRole('button', { name: 'Invalidate' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Invalidate probe 1' }));
    const save = dialog.getByRole('button', { name: 'Invalidate probe' });
    expect(save).toBeDisabled();
    await enter(user, dialog.getByLabelText('Reason'), ' a bad node ');
    await user.click(save);
    await waitFor(() => expect(sent).toEqual([{ number: 1, reason: 'a bad node' }]));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it.each([
    ['in an ended bisect', { state: 'found' as const }, true],
    ['for a viewer', {}, false],
  ])('do not include "Invalidate" %s', (_, changed, mayWrite) => {
    showProbes(changed, { mayWrite });
    expect(screen.queryByRole('button', { name: 'Invalidate' })).not.toBeInTheDocument();
  });
});
