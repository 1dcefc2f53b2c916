import { screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Budget } from '../../../api';
import { at, page, problem, server } from '../../../testing/mock-api';
import { SERVICE } from '../../../testing/regression-fixtures';
import { enter, show } from '../../../testing/render';
import ServiceBudgets from './ServiceBudgets';
import { limitText, valueText } from './budget-wording';
import { isOfSeries } from './series-limits';

const PRODUCTION = {
  id: 'e1',
  slug: 'production',
  name: 'production',
  created_at: '2026-11-01T00:00:00Z',
};

const aBudget = (changed: Partial<Budget> = {}): Budget => ({
  id: 'b1',
  service_id: SERVICE,
  environment_id: null,
  route: null,
  signal: 'p99',
  limit: { type: 'absolute', seconds: 0.3 },
  evaluations: [
    {
      environment_id: PRODUCTION.id,
      build_id: null,
      deployment_id: null,
      state: 'exceeded',
      is_announced: true,
      sentence:
        'p99 in the last 60 minutes is 342 ms, over the budget of 300 ms: significant (95% CI 331 ms to 355 ms).',
      value: 0.342,
      low: 0.331,
      high: 0.355,
      evaluated_at: '2026-11-27T08:00:00Z',
    },
  ],
  created_at: '2026-11-01T00:00:00Z',
  ...changed,
});

function serve(...budgets: Budget[]): { bodies: unknown[] } {
  const bodies: unknown[] = [];
  server.use(
    http.get(at('/budgets'), () => HttpResponse.json({ items: budgets })),
    http.get(at('/environments'), () => page([PRODUCTION])),
    http.post(at('/budgets'), async ({ request }) => {
      bodies.push(await request.json());
      return HttpResponse.json(aBudget(), { status: 201 });
    }),
    http.patch(at('/budgets/b1'), async ({ request }) => {
      bodies.push(await request.json());
      return HttpResponse.json(aBudget());
    }),
    http.delete(at('/budgets/b1'), () => {
      bodies.push('deleted');
      return new HttpResponse(null, { status: 204 });
    }),
  );
  return { bodies };
}

const showBudgets = (mayWrite = true) =>
  show(
    <ServiceBudgets
      serviceId={SERVICE}
      mayWrite={mayWrite}
      buildLink={(id, words) => <a href={`#${id}`}>{words}</a>}
    />,
  );

describe('ServiceBudgets', () => {
  it('shows limit, state, value and interval, without accessibility violations', async () => {
    serve(aBudget());
    const { container } = showBudgets();
    const row = await screen.findByRole('listitem');
    await within(row).findByText('production');
    expect(row).toHaveTextContent(/p99 latencyat most 300 mseach environment/u);
    expect(row).toHaveTextContent(/Exceeded.*342 ms, .*significant \(95% CI 331 ms to 355 ms\)/u);
    const { violations } = await axe.run(container, {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id }) => id)).toEqual([]);
  });

  it('explains budgets when there are none, and hides "Set a budget" from viewers', async () => {
    serve();
    showBudgets(false);
    expect(await screen.findByText(/A budget limits latency or CPU per request/u)).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Set a budget' })).toBeNull();
  });

  it('shows an error when the budgets cannot be loaded', async () => {
    server.use(http.get(at('/budgets'), () => problem(503, { detail: 'Overloaded.' })));
    showBudgets();
    expect(await screen.findByText('Could not load the budgets')).toBeVisible();
  });

  it('creates a budget of a route and sends its limit in seconds', async () => {
    const { bodies } = serve();
    const { user } = showBudgets();
    await user.click(await screen.findByRole('button', { name: 'Set a budget' }));
    const form = await screen.findByRole('dialog', { name: 'Set a budget' });
    expect(within(form).getByRole('button', { name: 'Set budget' })).toBeDisabled();
    await enter(user, within(form).getByLabelText(/^Limit/u), '300');
    await enter(user, within(form).getByLabelText('Route'), '/api/push');
    await user.click(within(form).getByRole('button', { name: 'Set budget' }));
    await waitFor(() => {
      expect(bodies).toEqual([
        {
          service_id: SERVICE,
          signal: 'p99',
          limit: { type: 'absolute', seconds: 0.3 },
          environment_id: null,
          route: '/api/push',
        },
      ]);
    });
  });

  it('changes the limit of a budget, and removes a budget after a confirmation', async () => {
    const { bodies } = serve(
      aBudget({ signal: 'cpu', limit: { type: 'per-release', increase: 0.05 }, evaluations: [] }),
    );
    const { user } = showBudgets();
    const name = 'CPU per request at most +5% per release';
    await user.click(await screen.findByRole('button', { name: `Change the limit: ${name}` }));
    const form = await screen.findByRole('dialog', { name: `Change ${name}` });
    await user.clear(within(form).getByLabelText(/^Limit/u));
    await enter(user, within(form).getByLabelText(/^Limit/u), '7');
    await user.click(within(form).getByRole('button', { name: 'Change limit' }));
    await waitFor(() => {
      expect(bodies).toEqual([{ limit: { type: 'per-release', increase: 0.07 } }]);
    });
    await user.click(await screen.findByRole('button', { name: `Remove: ${name}` }));
    const asked = await screen.findByRole('dialog', { name: `Remove ${name}?` });
    await user.click(within(asked).getByRole('button', { name: 'Remove budget' }));
    await waitFor(() => {
      expect(bodies).toHaveLength(2);
    });
  });
});

describe('texts and series of budgets', () => {
  it('limitText and valueText use the unit of the budget', () => {
    expect(limitText(aBudget())).toBe('at most 300 ms');
    expect(valueText({ limit: { type: 'per-release', increase: 0.05 } }, -0.025)).toBe('-2.5%');
  });

  it.each([
    [aBudget(), { kind: 'latency', subject: 'production p99' }, true],
    [aBudget(), { kind: 'latency', subject: 'production /api/push p99' }, false],
    [
      aBudget({ route: '/api/push' }),
      { kind: 'latency', subject: 'production /api/push p99' },
      true,
    ],
    [aBudget({ environment_id: 'other' }), { kind: 'latency', subject: 'production p99' }, false],
    [aBudget({ signal: 'cpu' }), { kind: 'profile.category', subject: 'total' }, true],
    [aBudget({ signal: 'cpu' }), { kind: 'profile.function', subject: 'total' }, false],
  ])('isOfSeries returns whether a budget limits a series: case %#', (budget, series, expected) => {
    expect(isOfSeries(budget, series, [PRODUCTION])).toBe(expected);
  });
});
