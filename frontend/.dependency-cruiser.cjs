// Wings and the features inside each, lowest first. 'a|b' in one entry: neither imports the other.
const wings = [
  ['platform', ['help', 'accounts', 'scim', 'jobs', 'cli']],
  ['inventory', ['catalog', 'repositories', 'webhooks']],
  [
    'evidence',
    [
      'artifacts',
      'profiles|exec_traces|spans|dashboard|growth_logs|benchmarks|executables',
      'metric_sources',
    ],
  ],
  [
    'verdicts',
    [
      'comparisons',
      'comparison_previews',
      'regressions',
      'budgets',
      'bisects',
      'production_events',
    ],
  ],
  [
    'sharing',
    [
      'discussions|activity|notifications',
      'subscriptions',
      'reports',
      'embedded_panels|grafana',
      'inbox',
      'search',
    ],
  ],
  ['operations', ['retention', 'setup']],
];
const names = wings.map(([wing]) => wing);

const noHigherWing = wings.slice(0, -1).map(([wing], i) => ({
  name: `wing-${wing}-imports-a-higher-wing`,
  severity: 'error',
  from: { path: `^src/features/${wing}/` },
  to: { path: `^src/features/(${names.slice(i + 1).join('|')})/` },
}));

const noHigherFeature = wings.flatMap(([wing, features]) =>
  features.map((feature, i) => ({
    name: `${wing}-feature-${i}-imports-a-sibling-at-or-above`,
    severity: 'error',
    from: { path: `^src/features/${wing}/(${feature})/` },
    to: {
      path: `^src/features/${wing}/(${features.slice(i).join('|')})/`,
      pathNot: `^src/features/${wing}/$1/`,
    },
  })),
);

const everyFeatureIsListed = {
  name: 'feature-without-a-place',
  severity: 'error',
  from: {},
  to: {
    path: '^src/features/',
    pathNot: wings.map(([wing, f]) => `^src/features/${wing}/(${f.join('|')})/`).join('|'),
  },
};

// Parts of the largest feature, lowest first. 'a|b' in one entry: neither imports the other.
const bisectParts = ['shared', 'rules|runners', 'start', 'experiments|pull_requests', 'detail'];

const noHigherBisectPart = bisectParts.map((part, i) => ({
  name: `bisects-part-${i}-imports-a-sibling-at-or-above`,
  severity: 'error',
  from: { path: `^src/features/verdicts/bisects/(${part})/`, pathNot: '\\.test\\.tsx?$' },
  to: {
    path: `^src/features/verdicts/bisects/(${bisectParts.slice(i).join('|')})/`,
    pathNot: '^src/features/verdicts/bisects/$1/',
  },
}));

const mayImport = (folder, below) => ({
  name: `${folder}-imports-only-${below.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^src/${folder}/`, pathNot: '\\.test\\.tsx?$' },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...below].join('|')})[/.]` },
});

const engine = (part, below) => ({
  name: `engine-${part}-imports-only-${below.join('-')}`,
  severity: 'error',
  from: { path: `^src/engine/${part}/`, pathNot: '\\.test\\.tsx?$' },
  to: { path: '^src/engine/', pathNot: `^src/engine/(${[part, ...below].join('|')})/` },
});

const engineParts = ['spans', 'dashboard', 'timeline', 'flame', 'bisect', 'builds', 'format'];

const everyEnginePartIsListed = {
  name: 'engine-part-without-a-place',
  severity: 'error',
  from: {},
  to: { path: '^src/engine/', pathNot: `^src/engine/(${engineParts.join('|')})/` },
};

module.exports = {
  forbidden: [
    // The generated client has a cycle of types; nobody edits it.
    {
      name: 'no-cycles',
      severity: 'error',
      from: { pathNot: '^src/api/generated/' },
      to: { circular: true },
    },
    ...noHigherWing,
    ...noHigherFeature,
    ...noHigherBisectPart,
    everyFeatureIsListed,
    {
      name: 'feature-index-from-outside',
      severity: 'error',
      from: { path: '^src/(?!features/|testing/)' },
      to: { path: '^src/features/[^/]+/[^/]+/(?!index\\.ts$)' },
    },
    {
      name: 'feature-index-between-features',
      severity: 'error',
      from: { path: '^src/features/([^/]+/[^/]+)/' },
      to: { path: '^src/features/[^/]+/[^/]+/(?!index\\.ts$)', pathNot: '^src/features/$1/' },
    },
    {
      name: 'feature-does-not-import-its-own-index',
      severity: 'error',
      from: { path: '^src/features/([^/]+/[^/]+)/' },
      to: { path: '^src/features/$1/index\\.ts$' },
    },
    mayImport('features', ['charts', 'engine', 'ui', 'api', 'lib']),
    mayImport('charts', ['engine', 'ui', 'lib']),
    mayImport('engine', ['lib', 'api/api-types']),
    mayImport('ui', ['lib']),
    mayImport('api', ['lib']),
    mayImport('lib', []),
    engine('spans', ['dashboard', 'timeline', 'format']),
    ...['flame', 'dashboard', 'timeline', 'bisect', 'builds'].map((part) =>
      engine(part, ['format']),
    ),
    engine('format', []),
    everyEnginePartIsListed,
    {
      name: 'engine-uses-no-framework',
      severity: 'error',
      from: { path: '^src/engine/' },
      to: { path: 'node_modules/(react|echarts|@tanstack|zustand)' },
    },
    {
      name: 'echarts-only-in-charts',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/charts/' },
      to: { path: 'node_modules/echarts/' },
    },
    {
      name: 'testing-only-from-tests',
      severity: 'error',
      from: { path: '^src/(?!testing/)', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^src/testing/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};
