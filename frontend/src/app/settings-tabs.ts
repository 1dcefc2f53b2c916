import { addressText, listSearch } from '../lib/list-search';

/** What applies to the lists of a tab. */
export const settingsSearch = { ...listSearch, role: addressText };

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
