import type { QueryClient } from '@tanstack/react-query';
import { RouterProvider, createMemoryHistory } from '@tanstack/react-router';
import { render, type RenderResult } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { Providers } from '../app/Providers';
import { createQueryClient } from '../app/query-client';
import { createAppRouter } from '../app/router';

export type Opened = RenderResult & {
  user: UserEvent;
  where: () => string;
  client: QueryClient;
};

/** The whole app at an address, as a person opens it. */
export function open(address: string): Opened {
  const client = createQueryClient();
  const router = createAppRouter(client, createMemoryHistory({ initialEntries: [address] }));
  const rendered = render(
    <Providers client={client}>
      <RouterProvider router={router} />
    </Providers>,
  );
  return { ...rendered, client, user: userEvent.setup(), where: () => router.state.location.href };
}

/** One component with all that surrounds it in the app, but no page and no router. */
export function show(element: ReactElement): RenderResult & { user: UserEvent } {
  const rendered = render(<Providers client={createQueryClient()}>{element}</Providers>);
  return { ...rendered, user: userEvent.setup() };
}
