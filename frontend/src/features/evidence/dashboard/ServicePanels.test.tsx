import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { readDashboard } from '../../../engine/dashboard/dashboard-file';
import { ENVIRONMENT, aDashboard, serviceId } from '../../../testing/dashboard-fixtures';
import { at, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import ServicePanels from './ServicePanels';

const SPAN = { fromMs: Date.UTC(2026, 10, 18, 12), toMs: Date.UTC(2026, 10, 18, 16) };

function open(services: string[]) {
  return show(
    <ServicePanels
      environment={ENVIRONMENT.id}
      services={services}
      span={SPAN}
      quantile="p99"
      onRange={vi.fn()}
      link={<a href="/dashboard">Open in dashboard</a>}
    />,
  );
}

describe('ServicePanels', () => {
  it('requests the given time range, and shows the services in the given order', async () => {
    const asked: URLSearchParams[] = [];
    server.use(
      http.get(at('/dashboard'), ({ request }) => {
        asked.push(new URL(request.url).searchParams);
        return HttpResponse.arrayBuffer(aDashboard());
      }),
    );
    open([serviceId(1), serviceId(0)]);
    const latencies = await screen.findAllByRole('region', { name: /^Latency of / });
    const { rows } = readDashboard(aDashboard());
    const name = (index: number) =>
      rows.find(({ service }) => service.id === serviceId(index))!.service.name;
    expect(latencies.map((each) => each.getAttribute('aria-label'))).toEqual([
      `Latency of ${name(1)}`,
      `Latency of ${name(0)}`,
    ]);
    expect(within(latencies[0]!).getByRole('img')).toHaveAccessibleName(`Latency of ${name(1)}`);
    expect(screen.getAllByRole('link', { name: 'Open in dashboard' })).toHaveLength(1);
    expect(asked[0]?.getAll('services')).toEqual([serviceId(1), serviceId(0)]);
    expect(asked[0]?.get('from')).toBe(String(SPAN.fromMs));
    expect(asked[0]?.get('to')).toBe(String(SPAN.toMs));
  });

  it('reports that no samples of the range are stored', async () => {
    server.use(http.get(at('/dashboard'), () => HttpResponse.arrayBuffer(aDashboard())));
    open(['00000000-0000-4000-8000-00000000dead']);
    expect(await screen.findByText(/No samples of this range are stored/u)).toBeVisible();
  });

  it('shows why the panels cannot be loaded', async () => {
    server.use(http.get(at('/dashboard'), () => problem(404, { detail: 'No environment.' })));
    open([serviceId(0)]);
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not load the panels · No environment.',
    );
  });
});
