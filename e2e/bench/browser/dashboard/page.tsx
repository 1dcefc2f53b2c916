/** The whole app at the URL of the dashboard, with generated responses instead of a server. */
import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import '../../../../frontend/src/ui/mantine-styles';
import '../../../../frontend/src/ui/tokens.css';
import '../../../../frontend/src/ui/base.css';
import '../../../../frontend/src/ui/mantine.css';
import { RouterProvider, createMemoryHistory } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { Providers } from '../../../../frontend/src/app/Providers';
import { createQueryClient } from '../../../../frontend/src/app/query-client';
import { createAppRouter } from '../../../../frontend/src/app/router';
import { aSession } from '../../../../frontend/src/testing/api-factories';
import { aDashboard } from '../../../../frontend/src/testing/dashboard-fixtures';

const SERVICES = 12;
const POINTS = 720;
const DAY_MS = 24 * 3_600_000;
const ADDRESS = '/t/northwind/dashboard';
/** Rows of the first page; the API has the same default. */
const FIRST_ROWS = 50;

/** Returns the response of the API: the requested rows or the first page, and all services. */
const dashboardOf = (query: URLSearchParams) => {
  const ids = query.getAll('services');
  const first = Math.min(SERVICES, Number(query.get('rows') ?? FIRST_ROWS));
  const shown =
    ids.length > 0
      ? ids.map((id) => Number(id.slice(-4)) - 5000)
      : Array.from({ length: first }, (_, row) => row);
  return aDashboard({ services: SERVICES, points: POINTS, stepMs: DAY_MS / POINTS, shown });
};
const asJson = (value: unknown) =>
  new Response(JSON.stringify(value), { headers: { 'Content-Type': 'application/json' } });

globalThis.fetch = (input) => {
  const { pathname, searchParams } = new URL(input instanceof Request ? input.url : String(input));
  if (pathname.endsWith('/session')) return Promise.resolve(asJson(aSession()));
  if (pathname.endsWith('/dashboard'))
    return Promise.resolve(
      new Response(dashboardOf(searchParams), {
        headers: { 'Content-Type': 'application/octet-stream' },
      }),
    );
  return Promise.resolve(asJson({ items: [], next_cursor: null }));
};
Object.defineProperty(window, 'EventSource', {
  value: class extends EventTarget {
    close() {
      // This stream has no events.
    }
  },
});

const bench = {
  startedMs: 0,
  start() {
    bench.startedMs = performance.now();
    const client = createQueryClient();
    const router = createAppRouter(client, createMemoryHistory({ initialEntries: [ADDRESS] }));
    createRoot(document.getElementById('root')!).render(
      <Providers client={client}>
        <RouterProvider router={router} />
      </Providers>,
    );
  },
};
Object.assign(globalThis, { bench });
