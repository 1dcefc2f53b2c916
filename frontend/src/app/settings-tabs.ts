export const SETTINGS_TABS = [
  'members',
  'tokens',
  'metrics',
  'integrations',
  'notifications',
  'storage',
  'audit',
  'team',
  'account',
] as const;
export type SettingsTab = (typeof SETTINGS_TABS)[number];
