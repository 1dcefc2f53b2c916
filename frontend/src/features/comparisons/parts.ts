/** What a comparison is made of, and to which part a finding belongs. Pure. */
import type { Comparison, Finding } from '../../api';

export const PARTS = ['profiles', 'traces', 'spans', 'growth', 'benchmarks'] as const;
export type PartName = (typeof PARTS)[number];

export const PART_WORDS: Record<PartName, string> = {
  profiles: 'Profiles',
  traces: 'Execution traces',
  spans: 'Distributed traces',
  growth: 'Stack growth',
  benchmarks: 'Benchmarks',
};

/** The parts there are, in the order of the page.  One under way or without anything to compare has none: it is told as profiles are. */
export function partsOf(comparison: Comparison): PartName[] {
  const told = PARTS.filter((part) => comparison.parts.includes(part));
  return told.length > 0 ? told : ['profiles'];
}

export function partOfFinding({ kind }: Finding): PartName {
  if (kind.startsWith('trace.')) return 'traces';
  if (kind.startsWith('spans.')) return 'spans';
  if (kind.startsWith('growth')) return 'growth';
  return kind.startsWith('bench') ? 'benchmarks' : 'profiles';
}

/** The part an address asks for, else that of the first finding, else the first there is. */
export function partShown(parts: PartName[], wanted: PartName | '', findings: Finding[]): PartName {
  if (wanted !== '' && parts.includes(wanted)) return wanted;
  const first = findings[0] ? partOfFinding(findings[0]) : 'profiles';
  return parts.includes(first) ? first : (parts[0] ?? 'profiles');
}
