/**
 * Complete, plausible profile sets as the API sends them; a test sets only the fields that it is
 * about.
 */
import type { ProfileSet, ProfileView, ProfileViewSummary } from '../api';

const AT = '2026-11-21T09:12:00Z';

export const CLONE = 'example.com/northwind/ident.cloneBytes';

export function aProfileView(changed: Partial<ProfileView> = {}): ProfileView {
  return {
    id: '00000000-0000-4000-8000-0000000000e1',
    kind: 'cpu',
    sample_type: 'cpu',
    unit: 'nanoseconds',
    granularity: 'function',
    state: 'done',
    normalizations: ['share', 'per_second'],
    default_normalization: 'per_second',
    nodes: 5,
    functions: 3,
    has_more_chunks: false,
    job_id: null,
    problem: null,
    labels: [],
    ...changed,
  };
}

export function aProfileSet(changed: Partial<ProfileSet> = {}): ProfileSet {
  return {
    id: '00000000-0000-4000-8000-0000000000d1',
    state: 'done',
    problem: null,
    job_id: null,
    artifacts: [
      {
        id: '00000000-0000-4000-8000-0000000000a1',
        name: 'cpu.pb.gz',
        kind: 'profile.cpu',
        state: 'decoded',
        build_id: null,
        recorded_at: AT,
        duration_ns: 30_000_000_000,
        samples: 2_961,
      },
    ],
    kinds: [
      {
        kind: 'cpu',
        sample_types: [
          { type: 'samples', unit: 'count' },
          { type: 'cpu', unit: 'nanoseconds' },
        ],
        default_sample_type: 'cpu',
        artifacts: 1,
      },
    ],
    conditions: {
      go_version: 'go1.26.3',
      goos: 'linux',
      goarch: 'amd64',
      gomaxprocs: 8,
      cpu_model: null,
      commits: [],
      build_ids: [],
      runs: 1,
      requests: null,
    },
    views: [aProfileView()],
    created_at: AT,
    ...changed,
  };
}

export function aProfileSummary(changed: Partial<ProfileViewSummary> = {}): ProfileViewSummary {
  return {
    format: 'slowpath.profile_summary/1',
    headline:
      'Stack growth takes 60% of CPU time, almost all of it attributed to `ident.cloneBytes`.',
    kind: 'cpu',
    sample_type: { type: 'cpu', unit: 'nanoseconds' },
    total: { raw: 10e9, per_second: 0.33e9, per_request: null, cores: 0.33 },
    samples: 2_961,
    profiles: 1,
    categories: [
      {
        category: 'stack-growth',
        share: 0.6,
        raw: 6e9,
        attributed_callers: [{ function: CLONE, share: 0.99 }],
      },
      { category: 'app', share: 0.4, raw: 4e9, attributed_callers: [] },
    ],
    labels: [
      {
        key: 'endpoint',
        unit: null,
        values: [
          { value: '/checkout', raw: 7e9, share: 0.7, profiles: 1 },
          { value: '/search', raw: 2e9, share: 0.2, profiles: 1 },
        ],
        other_values: 0,
        without_share: 0.1,
      },
    ],
    caveats: [],
    ...changed,
  };
}
