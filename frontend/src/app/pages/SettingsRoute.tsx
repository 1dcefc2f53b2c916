import { Suspense, lazy } from 'react';
import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import type { TeamMembership } from '../../api';
import {
  Account,
  AuditLog,
  ClosedTeams,
  DeleteAccount,
  Members,
  Sessions,
  TeamSettings,
  Tokens,
  sessionQuery,
} from '../../features/platform/accounts';
import { Runners } from '../../features/verdicts/bisects';
import { TeamUploadSteps } from '../../features/inventory/catalog';
import { MetricsSettings } from '../../features/evidence/dashboard';
import { Repositories } from '../../features/inventory/repositories';
import { Webhooks } from '../../features/inventory/webhooks';
import { StorageSettings } from '../../features/operations/retention';
import { GrafanaSettings } from '../../features/sharing/grafana';
import { Channels } from '../../features/sharing/notifications';
import { SharingSwitch } from '../../features/sharing/reports';
import { MailSettings } from '../../features/sharing/subscriptions';
import { MetricSources } from '../../features/evidence/metric_sources';
import { PageHeader, useTitle } from '../../ui';
import { ListSearchContext } from '../../ui/list-search-context';
import { Link } from '../Link';
import { buildLink } from '../build-link';
import classes from '../Shell.module.css';
import type { SettingsTab } from '../settings-tabs';

const ScimSettings = lazy(async () => ({
  default: (await import('../../features/platform/scim')).ScimSettings,
}));

const teamRoute = getRouteApi('/t/$team');
const route = getRouteApi('/t/$team/settings');

const TABS: { value: SettingsTab; name: string }[] = [
  { value: 'members', name: 'Members' },
  { value: 'tokens', name: 'API tokens' },
  { value: 'metrics', name: 'Metrics' },
  { value: 'integrations', name: 'Integrations' },
  { value: 'notifications', name: 'Notifications' },
  { value: 'storage', name: 'Storage' },
  { value: 'audit', name: 'Audit log' },
  { value: 'team', name: 'Team' },
  { value: 'account', name: 'Your account' },
];

function MetricsTab({ team }: { team: TeamMembership }) {
  const mayManage = team.role === 'admin' || team.role === 'owner';
  return (
    <MetricsSettings
      team={{
        id: team.id,
        mayWrite: team.role !== 'viewer',
        mayManage: mayManage,
      }}
      sources={<MetricSources mayManage={mayManage} />}
      settingsLink={(next, words) => (
        <Link
          to="/t/$team/settings"
          params={{ team: team.slug }}
          search={{ tab: next }}
          className="link"
        >
          {words}
        </Link>
      )}
    />
  );
}

function Integrations({ team }: { team: TeamMembership }) {
  const mayManage = team.role === 'admin' || team.role === 'owner';
  return (
    <>
      <Repositories mayManage={mayManage} mayWrite={team.role !== 'viewer'} />
      <Webhooks mayManage={mayManage} />
      <GrafanaSettings mayManage={mayManage} />
      <Runners team={{ id: team.id, mayManage }} />
    </>
  );
}

export function SettingsRoute() {
  useTitle('Settings');
  const { team, session: known } = teamRoute.useRouteContext();
  const { data: session = known } = useQuery(sessionQuery);
  const search = route.useSearch();
  const { tab } = search;
  const navigate = useNavigate();
  const router = useRouter();
  const onSearch = (changed: object) =>
    void navigate({
      to: '/t/$team/settings',
      params: { team: team.slug },
      search: (before) => ({ ...before, ...changed, tab }),
      replace: true,
    });
  const canManageMembers = team.role === 'admin' || team.role === 'owner';
  return (
    <ListSearchContext value={{ search, onSearch }}>
      <PageHeader title={`Settings of ${team.name}`} />
      <Tabs
        value={tab}
        onChange={(next) =>
          void navigate({
            to: '/t/$team/settings',
            params: { team: team.slug },
            search: { tab: (next ?? 'members') as SettingsTab },
          })
        }
      >
        <Tabs.List className={classes.inset} aria-label="Settings">
          {TABS.map(({ value, name }) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="members">
          <Members team={team} session={session} onGone={() => void navigate({ to: '/' })} />
        </Tabs.Panel>
        <Tabs.Panel value="tokens">
          <Tokens
            team={team}
            scope={search.scope}
            uploadSteps={(token) => (
              <TeamUploadSteps
                token={token}
                buildLink={({ id }, words) => buildLink(team.slug)(id, words)}
              />
            )}
          />
        </Tabs.Panel>
        <Tabs.Panel value="metrics">
          <MetricsTab team={team} />
        </Tabs.Panel>
        <Tabs.Panel value="integrations">
          <Integrations team={team} />
        </Tabs.Panel>
        <Tabs.Panel value="notifications">
          <Channels mayManage={canManageMembers} />
        </Tabs.Panel>
        <Tabs.Panel value="storage">
          <StorageSettings mayManage={canManageMembers} />
        </Tabs.Panel>
        <Tabs.Panel value="audit">
          <AuditLog team={team} />
        </Tabs.Panel>
        <Tabs.Panel value="team">
          <TeamSettings
            key={team.id}
            team={team}
            onRenamed={() => void router.invalidate()}
            onGone={() => void navigate({ to: '/' })}
          >
            <SharingSwitch mayManage={canManageMembers} />
            {canManageMembers && (
              <Suspense fallback={null}>
                <ScimSettings team={team} />
              </Suspense>
            )}
          </TeamSettings>
        </Tabs.Panel>
        <Tabs.Panel value="account">
          <Account session={session} />
          <Sessions />
          <MailSettings teamName={team.name} />
          <ClosedTeams />
          <DeleteAccount session={session} />
        </Tabs.Panel>
      </Tabs>
    </ListSearchContext>
  );
}
