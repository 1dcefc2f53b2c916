/** Complete, plausible API objects for tests; a test sets only the fields that it is about. */
import type { Artifact, ComparisonResult, ExampleData, Finding, Job, Session } from '../api';
import type { ComparisonOut, DiffViewOut } from '../api/generated/types.gen';

export const TEAM = {
  id: '00000000-0000-4000-8000-000000000001',
  slug: 'northwind',
  name: 'Northwind',
  role: 'owner',
  requires_second_factor: false,
} as const;
const AT = '2026-11-21T09:12:00Z';

export function aSession(changed: Partial<Session> = {}): Session {
  return {
    user: {
      id: '00000000-0000-4000-8000-00000000000a',
      email: 'mira@northwind.example',
      name: 'Mira Kovač',
      time_zone: null,
    },
    teams: [{ ...TEAM }],
    is_multi_factor: false,
    ...changed,
  };
}

let numbered = 0;
const anId = (): string => `00000000-0000-4000-8000-${String(++numbered).padStart(12, '0')}`;

export function anArtifact(changed: Partial<Artifact> = {}): Artifact {
  return {
    id: anId(),
    name: 'cpu.pb.gz',
    size_bytes: 14_948,
    sha256: 'a'.repeat(64),
    kind: 'profile.cpu',
    state: 'decoded',
    error: null,
    profile: {
      kind: 'cpu',
      sample_types: [
        { type: 'samples', unit: 'count' },
        { type: 'cpu', unit: 'nanoseconds' },
      ],
      default_sample_type: 1,
      time_ns: 1_795_000_000_000_000_000,
      duration_ns: 30_000_000_000,
      period: 10_000_000,
      samples: 2_961,
      stacks: 312,
      functions: 188,
      truncated_samples: 0,
      warnings: [],
    },
    trace: null,
    growth: null,
    benchmarks: null,
    spans: null,
    binary: null,
    archive: null,
    run_metadata: { go_version: 'go1.26.3' },
    batch: null,
    build_id: null,
    archive_id: null,
    folder: null,
    job_id: null,
    progress: 1,
    step: '',
    created_at: AT,
    created_by: null,
    ...changed,
  };
}

export function aJob(changed: Partial<Job> = {}): Job {
  return {
    id: anId(),
    name: 'comparisons.compute',
    state: 'running',
    progress: 0.4,
    step: 'merging 8 profiles, 3 done',
    subject: { kind: 'comparison', id: anId() },
    attempts: 1,
    max_attempts: 5,
    cancel_requested: false,
    problem: null,
    created_at: AT,
    started_at: AT,
    finished_at: null,
    created_by: null,
    ...changed,
  };
}

export function aFinding(changed: Partial<Finding> = {}): Finding {
  return {
    kind: 'profile.category',
    profile_kind: 'cpu',
    subject: 'stack-growth',
    direction: 'worse',
    base: 62,
    candidate: 726,
    unit: 'us/request',
    change: {
      ratio: 11.7,
      difference: 664,
      ci_low: 10.1,
      ci_high: 13.6,
      confidence_level: 0.95,
      ci_of: 'ratio',
    },
    normalization: 'per_request',
    quantile: null,
    is_significant: true,
    profiles_needed: null,
    q_value: 0.0001,
    attributed_callers: [
      {
        function: 'example.com/northwind/ident.(*Pool).Clone',
        entry: 'runtime.newstack',
        path: ['main.main', 'example.com/northwind/ident.(*Pool).Clone', 'runtime.newstack'],
        difference: 651,
      },
    ],
    contributions: [],
    mechanism: 'Goroutines begin with a small stack and copy it whole when it is too small.',
    advice: 'Keep goroutines alive, or call through fewer frames.',
    sentence:
      'Stack growth (morestack) takes more time: 726 µs per request instead of 62 (×11.7, 10.1 to 13.6), attributed to ident.(*Pool).Clone.',
    ...changed,
  };
}

export function aResult(changed: Partial<ComparisonResult> = {}): ComparisonResult {
  return {
    format: 'slowpath.comparison/2',
    verdict: 'regressed',
    headline: {
      sentence:
        'Regressed: 32% more CPU per request (95% CI 28–36%); nearly all of it is stack growth (morestack), attributed to ident.(*Pool).Clone.',
      total: {
        profile_kind: 'cpu',
        normalization: 'per_request',
        base: 2180,
        candidate: 2880,
        unit: 'us/request',
        ratio: 1.32,
        ci_low: 1.28,
        ci_high: 1.36,
        ci_of: 'ratio',
        confidence_level: 0.95,
      },
      conditions: [],
      minimum_detectable_effect: null,
    },
    findings: [aFinding()],
    caveats: [
      {
        id: 'load',
        sentence:
          'Load differs: 412 against 437 requests/s. Judged per request, so this does not count as change.',
      },
    ],
    compiler: null,
    cost_shifts: [],
    minimum_detectable_effects: [{ kind: 'profile.category', subject: 'total', ratio: 1.04 }],
    sides: {
      base: {
        artifact_names: ['b1', 'b2'],
        run_count: 2,
        time_range: null,
        run_metadata: { commit: '229227f00000', goos: 'linux', goarch: 'amd64' },
      },
      candidate: {
        artifact_names: ['c1', 'c2'],
        run_count: 2,
        time_range: null,
        run_metadata: { commit: '9c41e0a00000', goos: 'linux', goarch: 'amd64' },
      },
    },
    artifact_kinds: [],
    views: [],
    profile_kinds: [
      {
        kind: 'cpu',
        verdict: 'regressed',
        sample_type: { type: 'cpu', unit: 'nanoseconds' },
        default_normalization: 'per_request',
        totals: { per_request: { unit: 'us/request', base: 2180, candidate: 2880 } },
      },
    ],
    ...changed,
  };
}

export function aView(changed: Partial<DiffViewOut> = {}): DiffViewOut {
  return {
    id: anId(),
    kind: 'cpu',
    sample_type: 'cpu',
    unit: 'nanoseconds',
    granularity: 'function',
    state: 'done',
    normalizations: ['share', 'per_second'],
    default_normalization: 'per_second',
    nodes: 3,
    functions: 3,
    has_more_chunks: false,
    job_id: null,
    problem: null,
    ...changed,
  };
}

export function aComparison(changed: Partial<ComparisonOut> = {}): ComparisonOut {
  return {
    id: anId(),
    name: '229227f against 9c41e0a',
    origin: 'manual',
    state: 'done',
    verdict: 'regressed',
    verdict_sentence: null,
    assignee: null,
    base: {
      label: '229227f',
      artifacts: 2,
      artifact_ids: [],
      time_range: null,
      labels: [],
      source: null,
      build_id: null,
      left_out: null,
    },
    candidate: {
      label: '9c41e0a',
      artifacts: 2,
      artifact_ids: [],
      time_range: null,
      labels: [],
      source: null,
      build_id: null,
      left_out: null,
    },
    problem: null,
    job_id: null,
    job: null,
    created_at: AT,
    created_by: null,
    finished_at: AT,
    result: aResult(),
    artifact_kinds: ['profiles'],
    views: [aView()],
    ...changed,
  };
}

export const noExample = (): ExampleData => ({
  state: 'absent',
  services: [],
  series: 0,
  own: { artifact: null, build: null, deployment: null },
  progress: 0,
  step: '',
  detail: null,
});
