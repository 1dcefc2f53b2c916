/** What the top bar and its menus both say. */

/** The places that exist. Others join when they are built: a link that leads nowhere is worse than none. */
export const NAVIGATION = [
  { name: 'Dashboard', to: '/t/$team/dashboard' },
  { name: 'Regressions', to: '/t/$team/regressions' },
  { name: 'Builds', to: '/t/$team/builds' },
  { name: 'Comparisons', to: '/t/$team/comparisons' },
  { name: 'Bisects', to: '/t/$team/bisects' },
  { name: 'Reports', to: '/t/$team/reports' },
  { name: 'Artifacts', to: '/t/$team/artifacts' },
  { name: 'Services', to: '/t/$team/services' },
] as const;
