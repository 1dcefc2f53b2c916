/** The parts of the user guide that pages link to. A test checks that each exists. */
export const HELP_TOPICS = {
  guide: { path: '/help', label: 'User guide' },
  start: { path: '/help/getting-started', label: 'Help: getting started' },
  compiler: { path: '/help/compiler-and-stack-growth', label: 'Help: compiler' },
  comparing: { path: '/help/comparing', label: 'Help: comparing' },
  profiles: { path: '/help/collecting-profiles', label: 'Help: collecting profiles' },
  inconclusive: { path: '/help/reading-a-result#inconclusive', label: 'Help: inconclusive' },
  qValue: { path: '/help/reading-a-result#q-value', label: 'Help: q-values' },
  caveats: { path: '/help/reading-a-result#caveats', label: 'Help: caveats' },
  ci: { path: '/help/ci', label: 'Help: builds from CI' },
  codeHosts: {
    path: '/help/ci#webhooks-of-code-hosts',
    label: 'Help: webhooks of code hosts',
  },
  metrics: { path: '/help/dashboard#send-metrics', label: 'Help: sending metrics' },
  federatedQueries: { path: '/help/dashboard#query-live', label: 'Help: querying live' },
  deployments: { path: '/help/dashboard#record-deployments', label: 'Help: recording deployments' },

  inbox: { path: '/help/inbox', label: 'Help: inbox' },
  budgets: { path: '/help/dashboard#budgets', label: 'Help: budgets' },
  annotations: { path: '/help/dashboard#annotations-and-settings', label: 'Help: annotations' },
  traces: { path: '/help/traces#execution-traces', label: 'Help: execution traces' },
  spans: { path: '/help/traces#distributed-traces', label: 'Help: distributed traces' },
  gaps: { path: '/help/traces#explain-a-gap', label: 'Help: explaining a gap' },
  growth: { path: '/help/traces#stack-growth-logs', label: 'Help: stack-growth logs' },
  bisect: { path: '/help/bisect-and-runner', label: 'Help: bisect' },
  runner: { path: '/help/bisect-and-runner#start-a-runner', label: 'Help: runners' },
  reports: { path: '/help/reports', label: 'Help: reports' },
  subscriptions: {
    path: '/help/notifications#subscribe',
    label: 'Help: subscriptions',
  },
  channels: { path: '/help/notifications#add-a-channel', label: 'Help: notification channels' },
  tokens: { path: '/help/api#authenticate', label: 'Help: API tokens' },
  teams: { path: '/help/administration#teams', label: 'Help: teams' },
  retention: { path: '/help/administration#storage-and-retention', label: 'Help: retention' },
} as const;

export type HelpTopic = keyof typeof HELP_TOPICS;
