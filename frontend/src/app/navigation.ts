type Place =
  `/t/$team/${'inbox' | 'dashboard' | 'builds' | 'comparisons' | 'bisects' | 'artifacts' | 'reports' | 'services'}`;

/**
 * The pages of the top bar and its menus. `pages` are first path segments of other pages that
 * belong to them.
 */
export const NAVIGATION: readonly { name: string; to: Place; pages?: readonly string[] }[] = [
  { name: 'Inbox', to: '/t/$team/inbox', pages: ['events', 'regressions'] },
  { name: 'Dashboard', to: '/t/$team/dashboard', pages: ['service-map'] },
  { name: 'Builds', to: '/t/$team/builds' },
  { name: 'Comparisons', to: '/t/$team/comparisons' },
  { name: 'Bisects', to: '/t/$team/bisects' },
  {
    name: 'Artifacts',
    to: '/t/$team/artifacts',
    pages: ['profile-sets', 'execution-traces', 'span-sets'],
  },
  { name: 'Reports', to: '/t/$team/reports' },
  { name: 'Services', to: '/t/$team/services' },
];
