import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import type { ReactNode } from 'react';
import { describe, expect, it } from 'vitest';
import type { AutomaticBisectRules } from '../../../../api';
import { at, server } from '../../../../testing/mock-api';
import { show } from '../../../../testing/render';
import AutomaticBisects from './AutomaticBisects';
import RegressionBisects from '../start/RegressionBisects';

const OFF: AutomaticBisectRules = {
  enabled: false,
  deployments_per_day: 30,
  needs_approval: true,
  deployment_hours: null,
  runner_labels: {},
};

const serve = (rules: AutomaticBisectRules, saved: unknown[] = []) =>
  server.use(
    http.get(at('/services/:service/automatic-bisects'), () => HttpResponse.json(rules)),
    http.put(at('/services/:service/automatic-bisects'), async ({ request }) => {
      const body = await request.json();
      saved.push(body);
      return HttpResponse.json(body);
    }),
  );

describe('automatic bisects of a service', () => {
  it('are enabled by an admin, with a daily limit of deployments', async () => {
    const saved: unknown[] = [];
    serve(OFF, saved);
    const { user } = show(<AutomaticBisects serviceId="s" mayManage />);
    await user.click(await screen.findByRole('checkbox', { name: /Start a bisect for each/u }));
    await user.clear(screen.getByLabelText('Deployments per day, at most'));
    await user.type(screen.getByLabelText('Deployments per day, at most'), '12');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(saved).toMatchObject([
        { enabled: true, deployments_per_day: 12, needs_approval: true },
      ]),
    );
  });

  it('are shown as a read-only sentence to members who cannot manage them', async () => {
    serve({ ...OFF, enabled: true });
    show(<AutomaticBisects serviceId="s" mayManage={false} />);
    expect(
      await screen.findByText('On: at most 30 deployments a day, each round needs approval.'),
    ).toBeVisible();
  });

  it('are explained on a regression when none was started, with the remedy and a link to the rules', async () => {
    server.use(
      http.get(at('/bisects'), () => HttpResponse.json({ items: [], next_cursor: null })),
      http.get(at('/regressions/:id/automatic-bisect'), () =>
        HttpResponse.json({
          service_id: 's',
          obstacle: { key: 'off', sentence: 'Automatic bisects are off.', remedy: 'Turn them on.' },
        }),
      ),
    );
    const rules = (id: string, words: ReactNode) => <a href={`/services/${id}`}>{words}</a>;
    show(<RegressionBisects regression_id="r" link={(_, words) => words} rules={rules} />);
    expect(await screen.findByText(/Automatic bisects are off/u)).toBeVisible();
    expect(screen.getByText('Turn them on.')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Rules of automatic bisects' })).toHaveAttribute(
      'href',
      '/services/s',
    );
  });
});
