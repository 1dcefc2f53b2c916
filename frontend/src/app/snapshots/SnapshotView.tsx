/**
 * A page of the product inside a report: the same component at the same URL, with data from the
 * snapshot only.
 */
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useContext, useMemo, useState } from 'react';
import { createSnapshotClient, makeNotInSnapshotProblem, type RecordedResponses } from '../../api';
import { SnapshotContext, ProblemBoundary } from '../../ui';
import { pathOf, createFixedHistory } from './snapshot-history';
import {
  SnapshotPathContext,
  RouterMaker,
  type SnapshotReader,
  type MakeRouter,
} from './snapshot-page';

const NO_ID = '00000000-0000-0000-0000-000000000000';
const SLUG = 'report';

/** The reader of a report, who cannot change it. */
const READER = {
  session: { user: { id: NO_ID, name: '', email: '' }, teams: [] },
  team: { id: NO_ID, slug: SLUG, name: '', role: 'viewer' },
} as unknown as SnapshotReader;

/**
 * @param path the page's URL below its team: "/comparisons/ID?kind=cpu"; `at`: when the snapshot
 * was taken
 */
export function SnapshotView({
  path,
  at,
  answers,
}: {
  path: string;
  at: string;
  answers: RecordedResponses;
}) {
  const make = useContext(RouterMaker);
  if (!make) throw new Error('The router of the snapshot page is missing.');
  const [{ client, router, place }] = useState(() => made(make, path, answers));
  const moment = useMemo(() => new Date(at), [at]);
  return (
    <SnapshotContext value={moment}>
      <SnapshotPathContext value={place}>
        <ProblemBoundary what="Could not display this view">
          <QueryClientProvider client={client}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </ProblemBoundary>
      </SnapshotPathContext>
    </SnapshotContext>
  );
}

function made(make: MakeRouter, path: string, answers: RecordedResponses) {
  const client = createSnapshotClient(answers, makeNotInSnapshotProblem);
  const href = `/t/${SLUG}${path}`;
  const router = make(client, createFixedHistory(href), READER);
  return { client, router, place: pathOf(href) };
}
