import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import type { InboxItem } from '../../api';
import { servicesQuery } from '../../features/inventory/catalog';
import { InboxPage, useReading, type InboxLink } from '../../features/sharing/inbox';
import { Link } from '../Link';
import { usePeople } from '../team-people';

const teamRoute = getRouteApi('/t/$team');
const inboxRoute = getRouteApi('/t/$team/inbox');

/** A link to the inbox with other filters. */
function FilterLink(props: ComponentProps<InboxLink>) {
  const { team } = teamRoute.useRouteContext();
  // The page itself marks the current view, because a view stays current when its filters change.
  return (
    <Link
      to="/t/$team/inbox"
      params={{ team: team.slug }}
      activeProps={{ 'aria-current': undefined }}
      {...props}
    />
  );
}

/** Returns the link to an item's page. */
function addressOf(team: string, { kind, id }: InboxItem) {
  switch (kind) {
    case 'production-event':
      return { to: '/t/$team/events/$eventId', params: { team, eventId: id } } as const;
    case 'regression':
      return {
        to: '/t/$team/regressions/$regressionId',
        params: { team, regressionId: id },
      } as const;
    case 'bisect':
      return { to: '/t/$team/bisects/$bisectId', params: { team, bisectId: id } } as const;
    case 'channel':
      return {
        to: '/t/$team/settings',
        params: { team },
        search: { tab: 'notifications' },
      } as const;
    case 'metric-source':
      return { to: '/t/$team/settings', params: { team }, search: { tab: 'metrics' } } as const;
  }
}

function Actions({ team, isOfBuilds }: { team: string; isOfBuilds: boolean }) {
  return (
    <>
      {isOfBuilds && (
        <Button
          renderRoot={(props) => (
            <Link to="/t/$team/regressions" params={{ team }} search={{}} {...props} />
          )}
        >
          All regressions, also unconfirmed
        </Button>
      )}
      <Button
        renderRoot={(props) => (
          <Link
            to="/t/$team/settings"
            params={{ team }}
            search={{ tab: 'notifications' }}
            {...props}
          />
        )}
      >
        Notification settings
      </Button>
    </>
  );
}

export function InboxRoute() {
  const { team, session } = teamRoute.useRouteContext();
  const search = inboxRoute.useSearch();
  const navigate = useNavigate();
  const services = useQuery(servicesQuery);
  const people = usePeople(team);
  const { mark } = useReading();
  return (
    <InboxPage
      search={search}
      onSearch={(next) =>
        void navigate({
          to: '/t/$team/inbox',
          params: { team: team.slug },
          search: next,
          replace: true,
        })
      }
      team={{
        me: session.user.id,
        mayWrite: team.role !== 'viewer',
        people,
        services: services.data?.items ?? [],
      }}
      Link={FilterLink}
      link={(item, words) => (
        <Link {...addressOf(team.slug, item)} onClick={() => mark([item], true)}>
          {words}
        </Link>
      )}
      onOpen={(item) => {
        mark([item], true);
        void navigate(addressOf(team.slug, item));
      }}
      actions={<Actions team={team.slug} isOfBuilds={search.view === 'regressions'} />}
    />
  );
}
