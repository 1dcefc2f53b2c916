import type { QueryClient } from '@tanstack/react-query';
import { RouterProvider, createMemoryHistory } from '@tanstack/react-router';
import { render, type RenderResult } from '@testing-library/react';
import userEvent, { PointerEventsCheckLevel, type UserEvent } from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { Providers } from '../app/Providers';
import { createQueryClient } from '../app/query-client';
import { createAppRouter } from '../app/router';

export type Opened = RenderResult & {
  user: UserEvent;
  where: () => string;
  client: QueryClient;
};

/**
 * Tests load no style sheet, so the check of `pointer-events` on each ancestor of a target would
 * only take time.
 */
const aUser = (): UserEvent =>
  userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never });

/** Enters a text at once, because typing renders a form again for every key. */
export async function enter(user: UserEvent, field: HTMLElement, text: string): Promise<void> {
  await user.click(field);
  await user.paste(text);
}

/** Returns the query client of the app with a retry delay of one millisecond instead of seconds. */
function createTestClient(): QueryClient {
  const client = createQueryClient();
  const defaults = client.getDefaultOptions();
  client.setDefaultOptions({ ...defaults, queries: { ...defaults.queries, retryDelay: 1 } });
  return client;
}

/** Renders the whole app at a URL. */
export function open(address: string): Opened {
  const client = createTestClient();
  const router = createAppRouter(client, createMemoryHistory({ initialEntries: [address] }));
  const rendered = render(
    <Providers client={client}>
      <RouterProvider router={router} />
    </Providers>,
  );
  return { ...rendered, client, user: aUser(), where: () => router.state.location.href };
}

/** Renders one component with the providers of the app, but without a page and a router. */
export function show(element: ReactElement): RenderResult & { user: UserEvent } {
  const rendered = render(<Providers client={createTestClient()}>{element}</Providers>);
  return { ...rendered, user: aUser() };
}
