/** Previews of sides and of their comparison, for tests of the choice of sides. */
import type { ComparisonPreview, SidePreview, SourceMatch } from '../api';

export const sideId = (n: number): string =>
  `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const AT = '2026-11-17T09:12:00Z';

export function aMatch(n: number, changed: Partial<SourceMatch> = {}): SourceMatch {
  return {
    source: { type: 'build', build_id: sideId(n) },
    title: `commit${n}`,
    subtitle: 'main',
    service_id: sideId(500),
    environment_id: null,
    build_id: sideId(n),
    commit: `commit${n}`,
    at: AT,
    evidence: [{ kind: 'profile.cpu', count: 8 }],
    has_metrics: false,
    disabled_reason: null,
    ...changed,
  };
}

export function aSidePreview(changed: Partial<SidePreview> = {}): SidePreview {
  return {
    label: '229227f',
    artifacts: 8,
    artifact_ids: [sideId(900)],
    build_id: sideId(1),
    kinds: [
      {
        kind: 'profile.cpu',
        count: 8,
        samples: 24_716,
        recorded_from: AT,
        recorded_to: '2026-11-17T09:16:00Z',
        duration_ns: 240e9,
      },
    ],
    conditions: [{ go_version: 'go1.26.3', goos: 'linux', goarch: 'amd64', cpu_model: 'c6i' }],
    time_range: null,
    left_out: null,
    label_pair: null,
    empty_reason: null,
    ...changed,
  };
}

export function aPreview(changed: Partial<ComparisonPreview> = {}): ComparisonPreview {
  return {
    base: aSidePreview(),
    candidate: aSidePreview({ build_id: sideId(2), label: '9c41e0a' }),
    caveats: [],
    conclusions: [
      {
        evidence: 'profile.cpu',
        base_count: 8,
        candidate_count: 8,
        minimum_detectable_ratio: 1.04,
        state: 'conclusive',
        sentence: 'A change of the total by 4% or more would be found.',
        improvement: null,
      },
    ],
    headline: 'Changes would be found: CPU profiles from 4%.',
    can_compare: true,
    ...changed,
  };
}
