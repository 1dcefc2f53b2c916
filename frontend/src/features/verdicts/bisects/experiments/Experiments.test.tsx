import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, it } from 'vitest';
import type { Bisect, Experiment, VariantEffect } from '../../../../api';
import { aBisect } from '../../../../testing/bisect-fixtures';
import { at, problem, server } from '../../../../testing/mock-api';
import { show } from '../../../../testing/render';
import { anOffer } from '../../../../testing/start-bisect-fixtures';
import SubjectExperiments, { Experiments } from './Experiments';

const FOUND: Bisect = aBisect({ state: 'found' });
const BISECT: Bisect = { ...FOUND, levels: FOUND.levels.slice(0, 1) };
const MEASURE = BISECT.signature.label;

const anEffect = (changed: Partial<VariantEffect>): VariantEffect => ({
  ...{ variant: 'revert', measure: MEASURE, verdict: 'better', blocks: 6, value: 0.1 },
  ...{ effect: -0.3, low: -0.32, high: -0.28, detectable: 0.03, removes: null },
  ...changed,
});

const anExperiment = (changed: Partial<Experiment> = {}): Experiment => ({
  ...{ id: '00000000-0000-4000-8000-0000000000e1', number: 15, state: 'measured' },
  ...{ pause_reason: null, problem: null, variants: ['revert', 'GOGC=200', 'patch=pasted'] },
  ...{ needs: ['GOGC', 'patch', 'revert'], has_runner: true, blocks: 6, runs: 24 },
  ...{ expected_runs: 24, measure: MEASURE, unit: 'share', best: 'revert' },
  measures: [
    { name: MEASURE, base: 0.14, is_larger_better: false },
    { name: 'req/s', base: 900, is_larger_better: true },
  ],
  effects: [
    anEffect({ variant: 'parent', removes: null }),
    anEffect({ removes: { share: 0.98, low: 0.9, high: 1.06 } }),
    anEffect({ variant: 'GOGC=200', verdict: 'no effect', effect: 0.004, low: -0.01, high: 0.02 }),
    anEffect({ variant: 'GOGC=200', measure: 'req/s', verdict: 'worse', effect: -0.05 }),
    anEffect({ variant: 'patch=pasted', verdict: 'not measured', effect: null }),
  ],
  failures: [{ variant: 'patch=pasted', reason: 'The patch does not apply: a.go:3' }],
  sentence: 'revert improves CPU in stack growth most: −30% (95% CI −32 to −28%).',
  created_by: 'Mira Kovač',
  created_at: '2026-11-27T16:00:00Z',
  finished_at: '2026-11-27T16:10:00Z',
  ...changed,
});

function showExperiments(experiments: Experiment[], bisect: Bisect = BISECT) {
  server.use(http.get(at('/bisects/:id/experiments'), () => HttpResponse.json(experiments)));
  return show(<Experiments bisect={bisect} mayWrite />);
}

const row = (name: string) => screen.getByRole('row', { name: new RegExp(name, 'u') });

it('Experiments shows the effect of each variant, and the reason for a variant that was not measured', async () => {
  showExperiments([anExperiment()]);
  await screen.findByText(/revert improves CPU in stack growth most/u);
  expect(row('^revert')).toHaveTextContent('better −30%');
  const detail = (name: string, word: string) =>
    within(row(name)).getByRole('button', { name: word }).title;
  expect(detail('^revert', 'better')).toBe('95% interval −32% to −28%');
  expect(detail('^revert', '98%')).toBe('95% interval 90% to 106%');
  expect(detail('^GOGC=200', 'no effect')).toBe(
    '+0.4%, 95% interval −1.0% to +2.0%; 3.0% would have been seen',
  );
  expect(row('^GOGC=200')).toHaveTextContent('worse −5.0%');
  expect(row('^patch=pasted')).toHaveTextContent('Not measured: The patch does not apply: a.go:3');
  expect(row('^Build before the culprit')).toHaveTextContent('better');
  expect(screen.getByRole('columnheader', { name: /req\/s, larger is better/u })).toBeVisible();
});

it('Experiments names the variants that a runner must allow, and cancels a running experiment', async () => {
  const sent: unknown[] = [];
  server.use(
    http.post(at('/bisects/:id/actions'), async ({ request, params }) => {
      sent.push([params.id, await request.json()]);
      return HttpResponse.json(BISECT);
    }),
  );
  const running = anExperiment({ state: 'running', runs: 3, has_runner: false, best: null });
  const { user } = showExperiments([running]);
  expect(await screen.findByText(/No online runner of this bisect allows/u)).toHaveTextContent(
    'variants = ["GOGC","patch","revert"]',
  );
  expect(screen.getByText(/3 of 24 runs/u)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Cancel experiment' }));
  await waitFor(() => expect(sent).toEqual([[running.id, { action: 'cancel', reason: '' }]]));
});

it('Experiments sends presets, typed variants and a patch, and again after a rejected request', async () => {
  const sent: unknown[] = [];
  server.use(
    http.post(at('/bisects/:id/experiments'), async ({ request }) => {
      sent.push(await request.json());
      return sent.length > 1
        ? HttpResponse.json(anExperiment(), { status: 201 })
        : problem(422, { detail: 'GOGC=x is not a value of GOGC.' });
    }),
  );
  const { user } = showExperiments([]);
  expect(await screen.findByText(/No variants measured yet/u)).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Measure variants' }));
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(dialog.getByRole('checkbox', { name: /GOGC=50/u }));
  await user.type(dialog.getByLabelText('Other variants'), 'GOGC=off  GOMEMLIMIT=1GiB, pgo=auto');
  await user.type(dialog.getByLabelText('Patch'), '+++ b/a.go');
  await user.click(dialog.getByRole('button', { name: 'Measure' }));
  expect(await dialog.findByText(/is not a value of GOGC/u)).toBeInTheDocument();
  await user.click(dialog.getByRole('button', { name: 'Measure' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent[1]).toEqual({
    variants: [
      'revert',
      'GOGC=200',
      'GOGC=400',
      'pgo=off',
      'GOGC=off GOMEMLIMIT=1GiB',
      'pgo=auto',
      'patch=pasted',
    ],
    blocks: 6,
    patches: { pasted: '+++ b/a.go' },
  });
});

it('Experiments offers no revert variant for a culprit in a dependency', async () => {
  const { user } = showExperiments([], FOUND);
  await user.click(await screen.findByRole('button', { name: 'Measure variants' }));
  expect(await screen.findByText(/its revert is not offered/u)).toBeInTheDocument();
  expect(screen.queryByRole('checkbox', { name: /Revert/u })).toBeNull();
});

it('SubjectExperiments shows the good build of a regression and sends the chosen criterion', async () => {
  const sent: unknown[] = [];
  const proposal = anOffer();
  const [, second] = proposal.signatures;
  const measured = anExperiment({ effects: [anEffect({ variant: 'parent' })] });
  server.use(
    http.get(at('/experiments'), ({ request }) =>
      HttpResponse.json(new URL(request.url).searchParams.get('regression_id') ? [measured] : []),
    ),
    http.get(at('/bisect-proposals'), () => HttpResponse.json(proposal)),
    http.post(at('/experiments'), async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json(measured, { status: 201 });
    }),
  );
  const { user } = show(
    <SubjectExperiments subject={{ regression_id: 'r' }} serviceId="s" mayWrite />,
  );
  await screen.findByText(/revert improves CPU/u);
  expect(row('^Good build')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Measure variants' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.queryByRole('checkbox', { name: /Revert/u })).toBeNull();
  await user.click(await dialog.findByRole('combobox', { name: 'Criterion' }));
  const label = second?.label ?? '';
  await user.click(await screen.findByRole('option', { name: label, hidden: true }));
  await user.click(dialog.getByRole('button', { name: 'Measure' }));
  const signature = { kind: second?.kind, subject: second?.subject };
  await waitFor(() => expect(sent).toMatchObject([{ regression_id: 'r', blocks: 6, signature }]));
});

it('Experiments is hidden while the bisect is searching', () => {
  showExperiments([], aBisect({ state: 'searching' }));
  expect(screen.queryByText('What would fix it')).toBeNull();
});
