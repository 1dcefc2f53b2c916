/**
 * The frame around each page of a team: the top bar, the upload drawer, and the subscription to the
 * event stream.
 */
import { useQuery } from '@tanstack/react-query';
import { Outlet, getRouteApi } from '@tanstack/react-router';
import { Suspense, lazy, useState } from 'react';
import { createPortal } from 'react-dom';
import { sessionQuery } from '../features/platform/accounts';
import { useEvents } from '../features/platform/jobs';
import { ListToolSlotContext, PageActionSlot, ProblemBoundary, useTimeZone } from '../ui';
import classes from './Shell.module.css';
import { TopBar } from './TopBar';
import { UploadDrawerSlot } from './UploadDrawerSlot';

const teamRoute = getRouteApi('/t/$team');
const CopyAction = lazy(async () => ({
  default: (await import('./CopyTextAction')).CopyTextAction,
}));
const ReportAction = lazy(async () => ({
  default: (await import('./AddToReportAction')).AddToReportAction,
}));

/** Shows a page in the frame, or alone if it is part of a report. */
export function Shell() {
  const { frozen } = teamRoute.useRouteContext();
  return frozen ? <Outlet /> : <LivingShell />;
}

function LivingShell() {
  const { team, session: known } = teamRoute.useRouteContext();
  const { data: session = known } = useQuery({ ...sessionQuery, staleTime: Infinity });
  useEvents(team.slug);
  const zone = useTimeZone();
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const [actions] = useState(() => document.createElement('span'));
  return (
    <>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <TopBar team={team} session={session} />
      <div className={classes.lay}>
        <main id="main" className={classes.main} tabIndex={-1}>
          <ProblemBoundary what="This page could not be displayed" resetKey={team.slug}>
            <PageActionSlot value={actions}>
              <ListToolSlotContext value={{ element: slot, setElement: setSlot }}>
                <Outlet key={zone} />
              </ListToolSlotContext>
            </PageActionSlot>
          </ProblemBoundary>
          {createPortal(
            <>
              <Suspense fallback={null}>
                <CopyAction />
              </Suspense>
              <Suspense fallback={null}>
                <ReportAction team={team} />
              </Suspense>
            </>,
            actions,
          )}
        </main>
        <UploadDrawerSlot team={team} />
      </div>
    </>
  );
}
