// The storeys of the house, as a machine reads them. A feature may use what lies below it, through its front door.
const storeys = [
  'accounts',
  'work',
  'catalog',
  'commits',
  'hooks',
  'uploads',
  'profiles|traces|spans|metrics|board|growth|benchmarks',
  'sources',
  'comparisons',
  'regressions',
  'discussions|activity',
  'bisects',
  'reports',
  'notifications',
  'keeping',
];

const looksUp = storeys.map((storey, floor) => ({
  name: `floor-${floor}-looks-up`,
  severity: 'error',
  from: { path: `^src/features/(${storey})/` },
  to: { path: `^src/features/(${storeys.slice(floor).join('|')})/`, pathNot: '^src/features/$1/' },
}));

const standsOn = (folder, ground) => ({
  name: `${folder}-stands-on-${ground.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: `^src/${folder}/`, pathNot: '\\.test\\.tsx?$' },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...ground].join('|')})/` },
});

module.exports = {
  forbidden: [
    // What is generated has a circle of types of its own; nobody edits it.
    {
      name: 'no-circles',
      severity: 'error',
      from: { pathNot: '^src/api/generated/' },
      to: { circular: true },
    },
    ...looksUp,
    {
      name: 'front-door',
      severity: 'error',
      from: { path: '^src/(?!features/|testing/)' },
      to: { path: '^src/features/[^/]+/(?!index\\.ts$)' },
    },
    {
      name: 'front-door-between-features',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/[^/]+/(?!index\\.ts$)', pathNot: '^src/features/$1/' },
    },
    {
      name: 'not-through-ones-own-front-door',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/$1/index\\.ts$' },
    },
    standsOn('features', ['charts', 'engine', 'ui', 'api', 'lib']),
    standsOn('charts', ['engine', 'ui', 'lib']),
    standsOn('engine', ['lib']),
    standsOn('ui', ['lib']),
    standsOn('api', ['lib']),
    standsOn('lib', []),
    {
      name: 'engine-knows-no-framework',
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
      name: 'testing-stays-in-tests',
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
