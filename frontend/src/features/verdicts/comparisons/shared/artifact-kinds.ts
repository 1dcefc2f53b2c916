/** The artifact kinds of a comparison and of its findings. No side effects. */
import type { Comparison, Finding } from '../../../../api';

export type ArtifactKind = Comparison['artifact_kinds'][number];

/**
 * The label, the noun of one artifact, and the prefix of the kinds of its findings (null: they name
 * a profile kind).
 */
type KindWording = { label: string; noun: string; findings: string | null };

/** One entry for each kind of the API, in the order of the page. */
const KINDS: Record<ArtifactKind, KindWording> = {
  profiles: { label: 'Profiles', noun: 'profile', findings: null },
  traces: { label: 'Execution traces', noun: 'trace', findings: 'trace.' },
  spans: { label: 'Distributed traces', noun: 'span set', findings: 'spans.' },
  growth: { label: 'Stack growth', noun: 'log', findings: 'growth' },
  benchmarks: { label: 'Benchmarks', noun: 'artifact', findings: 'bench' },
};
export const ARTIFACT_KINDS = Object.keys(KINDS) as [ArtifactKind, ...ArtifactKind[]];
export const PROFILES = 'profiles' satisfies ArtifactKind;

export const artifactKindLabel = (kind: ArtifactKind): string => KINDS[kind].label;

/**
 * Returns the artifact kinds of a comparison, in the order of the page. One that is not done, or
 * has nothing to compare, has none and is shown like profiles.
 */
export function artifactKindsOf(comparison: Comparison): ArtifactKind[] {
  const shown = ARTIFACT_KINDS.filter((part) => comparison.artifact_kinds.includes(part));
  return shown.length > 0 ? shown : [PROFILES];
}

export function artifactKindOfFinding({ kind }: Finding): ArtifactKind {
  return (
    ARTIFACT_KINDS.find((each) => {
      const begin = KINDS[each].findings;
      return begin !== null && kind.startsWith(begin);
    }) ?? PROFILES
  );
}

/** Returns the noun of the artifacts: that of their kind if all have the same kind. */
export function artifactNoun(comparison: Comparison): string {
  const [first = PROFILES, ...others] = artifactKindsOf(comparison);
  return others.length > 0 ? 'artifact' : KINDS[first].noun;
}

/**
 * Returns the artifact kind in the URL if the comparison has it; otherwise that of the first
 * finding, otherwise the first.
 */
export function shownArtifactKind(
  parts: ArtifactKind[],
  wanted: ArtifactKind | '',
  findings: Finding[],
): ArtifactKind {
  if (wanted !== '' && parts.includes(wanted)) return wanted;
  const first = findings[0] ? artifactKindOfFinding(findings[0]) : PROFILES;
  return parts.includes(first) ? first : (parts[0] ?? PROFILES);
}
