/** What a comparison is made of, and to which part a finding belongs. Pure. */
import type { Comparison, Finding } from '../../../api';

export const ARTIFACT_KINDS = ['profiles', 'traces', 'spans', 'growth', 'benchmarks'] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

export const ARTIFACT_KIND_LABELS: Record<ArtifactKind, string> = {
  profiles: 'Profiles',
  traces: 'Execution traces',
  spans: 'Distributed traces',
  growth: 'Stack growth',
  benchmarks: 'Benchmarks',
};

/**
 * The parts there are, in the order of the page.  One under way or without anything to compare has none: it is shown
 * like profiles.
 */
export function artifactKindsOf(comparison: Comparison): ArtifactKind[] {
  const told = ARTIFACT_KINDS.filter((part) => comparison.artifact_kinds.includes(part));
  return told.length > 0 ? told : ['profiles'];
}

export function artifactKindOfFinding({ kind }: Finding): ArtifactKind {
  if (kind.startsWith('trace.')) return 'traces';
  if (kind.startsWith('spans.')) return 'spans';
  if (kind.startsWith('growth')) return 'growth';
  return kind.startsWith('bench') ? 'benchmarks' : 'profiles';
}

/** The part an address asks for, else that of the first finding, else the first there is. */
export function shownArtifactKind(
  parts: ArtifactKind[],
  wanted: ArtifactKind | '',
  findings: Finding[],
): ArtifactKind {
  if (wanted !== '' && parts.includes(wanted)) return wanted;
  const first = findings[0] ? artifactKindOfFinding(findings[0]) : 'profiles';
  return parts.includes(first) ? first : (parts[0] ?? 'profiles');
}
