/** What stands around every page of a team: the top bar, the upload drawer, the stream of events. */
import { Outlet, getRouteApi } from '@tanstack/react-router';
import { Suspense, lazy } from 'react';
import { useEvents } from '../features/work';
import { PageActionPlace, ProblemBoundary } from '../ui';
import classes from './Shell.module.css';
import { TopBar } from './TopBar';
import { UploadPlace } from './UploadPlace';

const teamRoute = getRouteApi('/t/$team');
const ReportAction = lazy(async () => ({
  default: (await import('./ReportAction')).ReportAction,
}));

/** Inside a report a page stands alone. */
export function Shell() {
  const { frozen } = teamRoute.useRouteContext();
  return frozen ? <Outlet /> : <LivingShell />;
}

function LivingShell() {
  const { team, session } = teamRoute.useRouteContext();
  useEvents(team.slug);
  return (
    <>
      <a className={classes.skip} href="#main">
        To the content
      </a>
      <TopBar team={team} session={session} />
      <div className={classes.lay}>
        <main id="main" className={classes.main} tabIndex={-1}>
          <ProblemBoundary what="This page failed" resetKey={team.slug}>
            <PageActionPlace
              value={
                <Suspense fallback={null}>
                  <ReportAction team={team} />
                </Suspense>
              }
            >
              <Outlet />
            </PageActionPlace>
          </ProblemBoundary>
        </main>
        <UploadPlace team={team} />
      </div>
    </>
  );
}
