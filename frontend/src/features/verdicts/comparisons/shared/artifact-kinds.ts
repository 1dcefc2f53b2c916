/** What a comparison is made of, and to which part a finding belongs. Pure. */
import type { Comparison, Finding } from '../../../../api';

export type ArtifactKind = Comparison['artifact_kinds'][number];

/** Label, noun of one artifact, and what the kinds of its findings begin with (null: they name a kind of profile). */
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
 * The parts there are, in the order of the page.  One under way or without anything to compare has none: it is shown
 * like profiles.
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

/** Name artifacts of one kind by that kind. */
export function artifactNoun(comparison: Comparison): string {
  const [first = PROFILES, ...others] = artifactKindsOf(comparison);
  return others.length > 0 ? 'artifact' : KINDS[first].noun;
}

/** The part an address asks for, else that of the first finding, else the first there is. */
export function shownArtifactKind(
  parts: ArtifactKind[],
  wanted: ArtifactKind | '',
  findings: Finding[],
): ArtifactKind {
  if (wanted !== '' && parts.includes(wanted)) return wanted;
  const first = findings[0] ? artifactKindOfFinding(findings[0]) : PROFILES;
  return parts.includes(first) ? first : (parts[0] ?? PROFILES);
}
