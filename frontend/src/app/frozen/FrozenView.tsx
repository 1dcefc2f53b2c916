/** A page of the product inside a report: the same component at its own address, fed from the recording alone. */
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useContext, useMemo, useState } from 'react';
import { createFrozenClient, notRecorded, type Answers } from '../../api';
import { FrozenPlace, ProblemBoundary } from '../../ui';
import { pathOf, stayingHistory } from './history';
import { FrozenPath, RouterMaker, type FrozenReader, type MakeRouter } from './page';

const NOBODY = '00000000-0000-0000-0000-000000000000';
const SLUG = 'report';

/** Whoever reads a report may change nothing in it. */
const READER = {
  session: { user: { id: NOBODY, name: '', email: '' }, teams: [] },
  team: { id: NOBODY, slug: SLUG, name: '', role: 'viewer' },
} as unknown as FrozenReader;

/** @param path the page's address below its team: "/comparisons/ID?kind=cpu"; `at`: when it was frozen */
export function FrozenView({ path, at, answers }: { path: string; at: string; answers: Answers }) {
  const make = useContext(RouterMaker);
  if (!make) throw new Error('Nobody said how pages are routed.');
  const [{ client, router, place }] = useState(() => made(make, path, answers));
  const moment = useMemo(() => new Date(at), [at]);
  return (
    <FrozenPlace value={moment}>
      <FrozenPath value={place}>
        <ProblemBoundary what="This view can not be shown">
          <QueryClientProvider client={client}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </ProblemBoundary>
      </FrozenPath>
    </FrozenPlace>
  );
}

function made(make: MakeRouter, path: string, answers: Answers) {
  const client = createFrozenClient(answers, notRecorded);
  const href = `/t/${SLUG}${path}`;
  const router = make(client, stayingHistory(href), READER);
  return { client, router, place: pathOf(href) };
}
