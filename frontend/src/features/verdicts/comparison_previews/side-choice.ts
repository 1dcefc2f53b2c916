/** The choices for the sides of a comparison before it is created. No side effects. */
import type { Comparison, SideSource } from '../../../api';

export const SIDES = ['base', 'candidate'] as const;
export type SideName = (typeof SIDES)[number];

export const SOURCE_KINDS = ['build', 'ref', 'deployment', 'time', 'artifacts', 'label'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** The choices for one side: the kind of source, the searched text, and the chosen source. */
export type SideChoice = {
  kind: SourceKind;
  /** The id of the service; '' = any service. */
  service: string;
  find: string;
  source: SideSource | null;
};
export type SidesChoice = Record<SideName, SideChoice>;

/** A label and its value; null selects samples without the label. */
export type LabelMatcher = { key: string; value: string | null };

export const EMPTY_SIDE: SideChoice = { kind: 'build', service: '', find: '', source: null };

export const otherSide = (side: SideName): SideName => (side === 'base' ? 'candidate' : 'base');

export const swapChoice = ({ base, candidate }: SidesChoice): SidesChoice => ({
  base: candidate,
  candidate: base,
});

export const labelsOf = (source: SideSource | null): LabelMatcher[] => source?.labels ?? [];

export const withLabels = (source: SideSource, labels: LabelMatcher[]): SideSource => ({
  ...source,
  labels,
});

/** Returns the kind of a source. */
export function kindOfSource({ type }: SideSource): Exclude<SourceKind, 'label'> {
  return type === 'time_range' ? 'time' : type;
}

/**
 * Returns a side with this source. A source without a service does not change the chosen service.
 */
export function chooseSource(source: SideSource, before: SideChoice = EMPTY_SIDE): SideChoice {
  const service = 'service_id' in source ? source.service_id : before.service;
  return { kind: kindOfSource(source), service, find: '', source };
}

/** Returns the source of a side of a comparison; if it has none, its artifacts or time range. */
export function sourceOfSide(side: Comparison['base']): SideSource | null {
  const { source, artifact_ids, time_range, labels } = side;
  if (source) return source;
  if (artifact_ids && artifact_ids.length > 0) return { type: 'artifacts', artifact_ids, labels };
  if (!time_range) return null;
  const { service_id, environment_id, from: begin, to: end } = time_range;
  return { type: 'time_range', service_id, environment_id, begin, end, labels };
}

/** Formats a label: "endpoint=/checkout", or "endpoint is absent". */
export const labelText = ({ key, value }: LabelMatcher): string =>
  value === null ? `${key} is absent` : `${key}=${value}`;

/**
 * Parses a label such as "endpoint=/checkout?a=b": the key ends at the first equals sign. Returns
 * null without one.
 */
export function parseLabel(text: string): LabelMatcher | null {
  const at = text.indexOf('=');
  const key = text.slice(0, at).trim();
  return at < 1 || key === '' ? null : { key, value: text.slice(at + 1).trim() };
}

const sameLabels = (a: LabelMatcher[], b: LabelMatcher[]): boolean =>
  a.length === b.length &&
  a.every(({ key, value }) => b.some((each) => each.key === key && each.value === value));

/** Whether both sides select the same samples of their builds. */
export const haveSameLabels = ({ base, candidate }: SidesChoice): boolean =>
  sameLabels(labelsOf(base.source), labelsOf(candidate.source));
