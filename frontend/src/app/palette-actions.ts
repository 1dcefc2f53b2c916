/** The actions of the command palette: what can be started, opened or set from any page. */
import { useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { TeamMembership } from '../api';
import { tray } from '../features/evidence/artifacts';
import { GUIDE_PAGES } from '../features/platform/help';
import type { PaletteAction } from '../features/sharing/search';
import { NAVIGATION } from './navigation';
import { SETTINGS_TABS, type SettingsTab } from './settings-tabs';

const SETTINGS_NAMES: Record<SettingsTab, string> = {
  members: 'Members',
  tokens: 'API tokens',
  metrics: 'Metrics',
  integrations: 'Integrations',
  notifications: 'Notifications',
  storage: 'Storage',
  audit: 'Audit log',
  team: 'Team',
  account: 'Your account',
};
const SCHEMES = [
  { scheme: 'light', title: 'Light theme' },
  { scheme: 'dark', title: 'Dark theme' },
  { scheme: 'auto', title: 'Theme of the system' },
] as const;

export function usePaletteActions(
  membership: TeamMembership,
  onShowShortcuts: () => void,
): PaletteAction[] {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const team = membership.slug;
  const started: PaletteAction[] = [
    {
      group: 'Actions',
      title: 'Compare',
      keywords: 'new comparison sides',
      run: () => void navigate({ to: '/t/$team/compare', params: { team }, search: {} }),
    },
    {
      group: 'Actions',
      title: 'Set up a service',
      keywords: 'example data remove getting started',
      run: () => void navigate({ to: '/t/$team/setup', params: { team }, search: {} }),
    },
  ];
  if (membership.role !== 'viewer')
    started.push(
      {
        group: 'Actions',
        title: 'Upload files',
        keywords: 'profiles traces artifacts',
        run: () => tray.setOpen(true),
      },
      {
        group: 'Actions',
        title: 'Start a bisect',
        keywords: 'culprit commit',
        run: () => void navigate({ to: '/t/$team/bisects/new', params: { team }, search: {} }),
      },
    );
  return [
    ...started,
    { group: 'Actions', title: 'Keyboard shortcuts', keywords: 'keys', run: onShowShortcuts },
    ...NAVIGATION.map(({ name, to }) => ({
      group: 'Pages',
      title: name,
      run: () => void navigate({ to, params: { team }, search: {} }),
    })),
    ...SETTINGS_TABS.map((tab) => ({
      group: 'Settings',
      title: SETTINGS_NAMES[tab],
      keywords: tab,
      run: () => void navigate({ to: '/t/$team/settings', params: { team }, search: { tab } }),
    })),
    ...SCHEMES.map(({ scheme, title }) => ({
      group: 'Settings',
      title,
      keywords: 'color scheme mode',
      run: () => setColorScheme(scheme),
    })),
    ...GUIDE_PAGES.map(({ page, title }) => ({
      group: 'Help',
      title,
      keywords: 'guide documentation',
      run: () => void navigate({ to: '/help/$page', params: { page } }),
    })),
  ];
}
