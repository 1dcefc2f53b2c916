import type { QueryClient } from '@tanstack/react-query';
import { RouterProvider, createMemoryHistory } from '@tanstack/react-router';
import { render, type RenderResult } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
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
