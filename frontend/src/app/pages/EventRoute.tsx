import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { dashboardSearchOf, dashboardViewOf } from '../../features/evidence/dashboard';
import { ItemActions, ReadMark } from '../../features/sharing/inbox';
import { GrafanaLink } from '../../features/sharing/grafana';
import { IssueAction } from '../../features/sharing/notifications';
import { EventPage, type EventRange } from '../../features/verdicts/production_events';
import { Link } from '../Link';
import { PageDiscussion } from '../PageDiscussion';
import { StartBisectAction } from '../StartBisectAction';
import { buildLink } from '../build-link';
import { commitLink } from '../commit-link';
import { usePeople } from '../team-people';

const teamRoute = getRouteApi('/t/$team');
const eventRoute = getRouteApi('/t/$team/events/$eventId');

/** The URL of the dashboard in the time range of an event, with the panels of its service only. */
const dashboardSearch = ({ environmentId, serviceId, fromMs, toMs }: EventRange) =>
  dashboardSearchOf({
    ...dashboardViewOf({}),
    environment: environmentId,
    range: { fromMs, toMs },
    alone: serviceId ?? '',
  });

const linksOf = (team: string) => ({
  build: buildLink(team),
  commit: commitLink(team),
  service: (serviceId: string, words: ReactNode) => (
    <Link to="/t/$team/services/$serviceId" params={{ team, serviceId }} className="link">
      {words}
    </Link>
  ),
  comparison: (comparisonId: string, words: ReactNode) => (
    <Link
      to="/t/$team/comparisons/$comparisonId"
      params={{ team, comparisonId }}
      search={{}}
      className="link"
    >
      {words}
    </Link>
  ),
  trace: (artifactId: string, traceId: string, words: ReactNode) => (
    <Link
      to="/t/$team/span-sets/$artifactId/traces/$traceId"
      params={{ team, artifactId, traceId }}
      search={{}}
      className="link"
    >
      {words}
    </Link>
  ),
  spanSet: (artifactId: string, words: ReactNode) => (
    <Link
      to="/t/$team/span-sets/$artifactId"
      params={{ team, artifactId }}
      search={{}}
      className="link"
    >
      {words}
    </Link>
  ),
  dashboard: (range: EventRange, words: ReactNode) => (
    <>
      {range.service !== null && (
        <GrafanaLink service={range.service} environmentId={range.environmentId} range={range} />
      )}
      <Link
        to="/t/$team/dashboard"
        params={{ team }}
        search={dashboardSearch(range)}
        className="link"
      >
        {words}
      </Link>
    </>
  ),
});

export function EventRoute() {
  const { team, session } = teamRoute.useRouteContext();
  const { eventId } = eventRoute.useParams();
  const navigate = useNavigate();
  const people = usePeople(team);
  return (
    <EventPage
      key={eventId}
      id={eventId}
      mayWrite={team.role !== 'viewer'}
      back={
        <Link to="/t/$team/inbox" params={{ team: team.slug }} search={{}} className="link">
          Inbox
        </Link>
      }
      actions={(item) => (
        <>
          <ReadMark kind="production-event" id={eventId} />
          <StartBisectAction subject={{ event_id: eventId }} />
          <ItemActions item={item} people={people} me={session.user.id} />
          <IssueAction kind="production-event" id={eventId} mayWrite={team.role !== 'viewer'} />
        </>
      )}
      discussion={<PageDiscussion bare subject={{ kind: 'production-event', id: eventId }} />}
      links={linksOf(team.slug)}
      onRange={(range) =>
        void navigate({
          to: '/t/$team/dashboard',
          params: { team: team.slug },
          search: dashboardSearch(range),
        })
      }
      onComparison={(comparisonId, finding) =>
        void navigate({
          to: '/t/$team/comparisons/$comparisonId',
          params: { team: team.slug, comparisonId },
          search: finding === null ? {} : { find: finding },
        })
      }
    />
  );
}
