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

/** No style sheet is loaded: to look at each element above a target for what it says of pointers takes only time. */
const aUser = (): UserEvent =>
  userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never });

/** Enters a text at once: a form is drawn again for every key that is typed. */
export async function enter(user: UserEvent, field: HTMLElement, text: string): Promise<void> {
  await user.click(field);
  await user.paste(text);
}

/** The client of the app, which waits a millisecond before it tries again, not seconds. */
function createTestClient(): QueryClient {
  const client = createQueryClient();
  const defaults = client.getDefaultOptions();
  client.setDefaultOptions({ ...defaults, queries: { ...defaults.queries, retryDelay: 1 } });
  return client;
}

/** The whole app at an address, as a person opens it. */
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

/** One component with all that surrounds it in the app, but no page and no router. */
export function show(element: ReactElement): RenderResult & { user: UserEvent } {
  const rendered = render(<Providers client={createTestClient()}>{element}</Providers>);
  return { ...rendered, user: aUser() };
}
