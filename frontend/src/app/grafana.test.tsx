import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { aDashboard, ENVIRONMENT, serviceId } from '../testing/dashboard-fixtures';
import { at, page, server } from '../testing/mock-api';
import { enter, open } from '../testing/render';

const TEMPLATE = 'https://grafana.example/d/a?var-service={service}&from={from}&to={to}';

function serve(dashboard_url = TEMPLATE) {
  const sent: unknown[] = [];
  server.use(
    http.get(at('/dashboard'), () => HttpResponse.arrayBuffer(aDashboard({}))),
    http.get(at('/environments'), () =>
      page([{ ...ENVIRONMENT, slug: 'production', created_at: '' }]),
    ),
    http.get(at('/services'), () =>
      page([{ id: serviceId(1), slug: 'check-out', name: 'Check out' }]),
    ),
    http.get(at('/share-settings'), () =>
      HttpResponse.json({ are_links_allowed: true, embedding_origins: [], dashboard_url }),
    ),
    http.patch(at('/share-settings'), async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json({
        are_links_allowed: true,
        embedding_origins: [],
        dashboard_url: TEMPLATE,
      });
    }),
  );
  return sent;
}

describe('Links to Grafana', () => {
  it('open the dashboard of the service for the same time range', async () => {
    serve();
    open('/t/northwind/dashboard?range=24h');
    const [link] = await screen.findAllByRole('link', { name: 'Grafana' });
    expect(link!.getAttribute('href')).toMatch(
      /^https:\/\/grafana\.example\/d\/a\?var-service=[\w-]+&from=now-24h&to=now$/u,
    );
    expect(link).toHaveAttribute('rel', 'noopener noreferrer');
  });

  it.each(['', 'javascript:alert(1)'])(
    'are absent with the URL template "%s"',
    async (template) => {
      serve(template);
      open('/t/northwind/dashboard');
      await screen.findAllByRole('button', { name: /^Embed panels/u });
      expect(screen.queryByRole('link', { name: 'Grafana' })).toBeNull();
    },
  );

  it('use a URL template that is saved in the settings', async () => {
    const sent = serve('');
    const { user } = open('/t/northwind/settings?tab=integrations');
    await enter(user, await screen.findByLabelText('URL of a dashboard'), TEMPLATE);
    await user.click(screen.getByRole('button', { name: 'Save URL' }));
    await waitFor(() => expect(sent).toEqual([{ dashboard_url: TEMPLATE }]));
  });
});

describe('Link from another program', () => {
  it('opens the dashboard of a named service for a time range in milliseconds', async () => {
    serve();
    const { where } = open(
      '/t/northwind/open?service=check-out&environment=production&from=1795000000000&to=1795003600000',
    );
    await waitFor(() => expect(where()).toContain('/dashboard?'));
    const search = new URL(where(), 'https://x.example').searchParams;
    expect(Object.fromEntries(search)).toEqual({
      env: ENVIRONMENT.id,
      alone: serviceId(1),
      from: '1795000000000',
      to: '1795003600000',
    });
  });

  it('shows which service does not exist', async () => {
    serve();
    open('/t/northwind/open?service=%3Cimg%3E&environment=production');
    expect(await screen.findByText('The team has no service <img>.')).toBeVisible();
  });
});
