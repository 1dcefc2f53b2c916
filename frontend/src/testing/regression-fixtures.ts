/**
 * Complete, plausible regressions and their series over builds; a test sets only the fields that it
 * is about.
 */
import type { Build, BuildSeries, BuildSeriesPage, Regression, RegressionDetailOut } from '../api';

export const SERVICE = '00000000-0000-4000-8000-0000000000f1';
export const BUILD = '00000000-0000-4000-8000-0000000000b1';
export const PERSON = '00000000-0000-4000-8000-0000000000e1';
let numbered = 0;

export function aRegression(changed: Partial<Regression> = {}): Regression {
  numbered += 1;
  return {
    id: `00000000-0000-4000-8000-${String(numbered).padStart(12, '0')}`,
    number: numbered,
    service_id: SERVICE,
    branch: 'main',
    state: 'new',
    is_confirmed: true,
    title: 'Clone takes more time: +15%',
    sentence: 'Clone takes more time: 11.5% against 10%, since 5f3c1e8.',
    kind: 'profile.function',
    subject: 'Clone',
    unit: 'share',
    direction: 'worse',
    before: 0.1,
    after: 0.115,
    ratio: 1.15,
    ratio_low: 1.1,
    ratio_high: 1.2,
    first_bad_build: {
      build_id: BUILD,
      commit: '5f3c1e8'.padEnd(40, '0'),
      ordered_at: '2026-11-20T14:02:00Z',
    },
    good: null,
    range: null,
    fixed_by: null,
    assignee: null,
    due_on: null,
    related_series: [],
    sparkline: { values: [1, 1.01, 0.99, 1.15, 1.16], step_at: 3, levels: [1, 1.15] },
    comparison_id: null,
    required_evidence: null,
    is_manual: false,
    created_at: '2026-11-20T14:10:00Z',
    closed_at: null,
    ...changed,
  };
}

export const aRegressionDetail = (
  changed: Partial<RegressionDetailOut> = {},
): RegressionDetailOut => ({ ...aRegression(changed), evidence: [], ...changed });

export const SERIES: BuildSeriesPage = {
  branch: 'main',
  branches: ['main'],
  builds: [1, 2, 3].map((number) => ({
    id: number === 3 ? BUILD : `00000000-0000-4000-8000-0000000000d${number}`,
    commit: `${number}`.repeat(40),
    ordered_at: '2026-11-20T14:02:00Z',
    branch: 'main',
    label: null,
    conditions: 'go1.26.3 linux/amd64',
    verdict: number === 3 ? ('changed' as const) : ('passed' as const),
  })),
  series: [
    {
      kind: 'profile.function',
      subject: 'x/libx.Clone',
      name: 'Clone',
      unit: 'count',
      values: [10, null, 15],
      low: [9, null, 14],
      high: [11, null, 16],
      levels: [10, 10, 15],
      change_points: [
        {
          index: 2,
          low_index: 1,
          high_index: 2,
          before: 10,
          after: 15,
          ratio: 1.5,
          ratio_low: 1.4,
          ratio_high: 1.6,
          score: 9,
          cause: 'code',
        },
      ],
      trend: null,
      minimum_detectable_effect: 1.04,
      is_muted: false,
    },
  ],
};

/** Returns the page of series above, with changed fields. */
export const aSeriesPage = (
  changed: Partial<BuildSeries> = {},
  page: Partial<BuildSeriesPage> = {},
): BuildSeriesPage => ({
  ...SERIES,
  series: SERIES.series.map((one) => ({ ...one, ...changed })),
  ...page,
});

export const aBuild = (changed: Partial<Build> = {}): Build => ({
  id: BUILD,
  service_id: SERVICE,
  commit: '5f3c1e8'.padEnd(40, '0'),
  go_version: 'go1.26.3',
  goos: 'linux',
  goarch: 'amd64',
  flags: '',
  branch: 'main',
  display_name: null,
  ci_url: null,
  dependencies: null,
  committed_at: '2026-11-20T14:00:00Z',
  parent: null,
  title: null,
  author: null,
  pull_request: null,
  run_metadata: {},
  created_at: '2026-11-20T14:02:00Z',
  ...changed,
});
