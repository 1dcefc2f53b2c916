import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import {
  Account,
  AuditLog,
  ClosedTeams,
  DeleteAccount,
  Members,
  TeamSettings,
  Tokens,
  sessionQuery,
} from '../../features/accounts';
import { Runners } from '../../features/bisects';
import { MetricsSettings } from '../../features/board';
import { Repositories } from '../../features/commits';
import { Hooks } from '../../features/hooks';
import { Storage } from '../../features/keeping';
import { Channels } from '../../features/notifications';
import { SharingSwitch } from '../../features/reports';
import { MetricSources } from '../../features/sources';
import { PageHead, useTitle } from '../../ui';
import { Link } from '../Link';
import classes from '../Shell.module.css';
import type { SettingsTab } from '../settings-tabs';

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

export function SettingsPage() {
  useTitle('Settings');
  const { team, session: known } = teamRoute.useRouteContext();
  const { data: session = known } = useQuery(sessionQuery);
  const { tab } = route.useSearch();
  const navigate = useNavigate();
  const router = useRouter();
  const mayManage = team.role === 'admin' || team.role === 'owner';
  return (
    <>
      <PageHead title={`Settings of ${team.name}`} />
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
          <Tokens team={team} />
        </Tabs.Panel>
        <Tabs.Panel value="metrics">
          <MetricsSettings
            team={{
              id: team.id,
              mayWrite: team.role !== 'viewer',
              mayManage,
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
        </Tabs.Panel>
        <Tabs.Panel value="integrations">
          <Repositories mayManage={mayManage} mayWrite={team.role !== 'viewer'} />
          <Hooks mayManage={mayManage} />
          <Runners team={{ id: team.id, mayManage }} />
        </Tabs.Panel>
        <Tabs.Panel value="notifications">
          <Channels mayManage={mayManage} />
        </Tabs.Panel>
        <Tabs.Panel value="storage">
          <Storage mayManage={mayManage} />
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
          />
          <SharingSwitch mayManage={mayManage} />
        </Tabs.Panel>
        <Tabs.Panel value="account">
          <Account session={session} />
          <ClosedTeams />
          <DeleteAccount session={session} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
