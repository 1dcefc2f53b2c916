/** What the top bar and its menus both say. */

/** The places that exist. Others join when they are built: a link that leads nowhere is worse than none. */
export const NAVIGATION = [
  { name: 'Inbox', to: '/t/$team/inbox' },
  { name: 'Dashboard', to: '/t/$team/dashboard' },
  { name: 'Builds', to: '/t/$team/builds' },
  { name: 'Comparisons', to: '/t/$team/comparisons' },
  { name: 'Bisects', to: '/t/$team/bisects' },
  { name: 'Artifacts', to: '/t/$team/artifacts' },
  { name: 'Reports', to: '/t/$team/reports' },
  { name: 'Services', to: '/t/$team/services' },
] as const;
