/**
 * The whole app at the board's address, over answers drawn here: what is measured is what people wait for once the bytes have
 * come. The query says how much is shown: services, hours, scheme, and fields of the board's own address.
 */
import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import '../../src/ui/mantine-styles';
import '../../src/ui/tokens.css';
import '../../src/ui/base.css';
import '../../src/ui/mantine.css';
import { RouterProvider, createMemoryHistory } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { Providers } from '../../src/app/Providers';
import { createQueryClient } from '../../src/app/query-client';
import { createAppRouter } from '../../src/app/router';
import { setPreference } from '../../src/ui';
import { aDashboard } from '../../src/testing/dashboard-fixtures';
import { aSession } from '../../src/testing/api-factories';

type Bench = { start: () => void; askedMs: number };

const asked = new URLSearchParams(window.location.search);
const hours = Number(asked.get('hours') ?? '24');
const services = Number(asked.get('services') ?? '12');
const points = 720;
const at = asked.get('path') ?? '/t/northwind/board';
const scheme = asked.get('scheme');
// The app keeps its scheme under a name of the same kind.
if (scheme !== null) setPreference('color-scheme', scheme);

// As the server: the rows on top, or those that are asked for; all services are named.
const boardOf = (query: URLSearchParams) => {
  const ids = query.getAll('services');
  const shown = ids.length > 0 ? ids.map((id) => Number(id.slice(-4)) - 5000) : undefined;
  return aDashboard({
    ...drawn,
    shown:
      shown ??
      Array.from({ length: Math.min(services, Number(query.get('rows') ?? 50)) }, (_, at) => at),
  });
};
const drawn = {
  services,
  points,
  stepMs: (hours * 3_600_000) / points,
  toMs: asked.has('now') ? Date.now() : undefined,
  against: asked.has('compared'),
  instances: asked.has('instances'),
  gauges: asked.has('gauges'),
  empty: asked.get('empty') ?? undefined,
};
const asJson = (value: unknown) =>
  new Response(JSON.stringify(value), { headers: { 'Content-Type': 'application/json' } });

globalThis.fetch = (input) => {
  const { pathname, searchParams } = new URL(input instanceof Request ? input.url : String(input));
  if (pathname.endsWith('/session')) return Promise.resolve(asJson(aSession()));
  if (pathname.endsWith('/board'))
    return Promise.resolve(
      new Response(boardOf(searchParams), {
        headers: { 'Content-Type': 'application/octet-stream' },
      }),
    );
  return Promise.resolve(asJson({ items: [], next_cursor: null }));
};
Object.defineProperty(window, 'EventSource', {
  value: class extends EventTarget {
    close() {
      // nothing ever happens in this stream
    }
  },
});

function start() {
  bench.askedMs = performance.now();
  const client = createQueryClient();
  const router = createAppRouter(client, createMemoryHistory({ initialEntries: [at] }));
  createRoot(document.getElementById('root')!).render(
    <Providers client={client}>
      <RouterProvider router={router} />
    </Providers>,
  );
}

const bench: Bench = { start, askedMs: 0 };
Object.assign(globalThis, { bench });
if (!asked.has('wait')) start();
