/** What is chosen for the sides of a comparison before it is created. Pure. */
import type { Comparison, SideSource } from '../../../api';

export const SIDES = ['base', 'candidate'] as const;
export type SideName = (typeof SIDES)[number];

export const SOURCE_KINDS = ['build', 'ref', 'deployment', 'time', 'artifacts', 'label'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** One side: the kind of source that is offered, what is searched, and what is chosen. */
export type SideChoice = {
  kind: SourceKind;
  /** Its id; '' = any service. */
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

/** The kind under which a source is offered. */
export function kindOfSource({ type }: SideSource): Exclude<SourceKind, 'label'> {
  return type === 'time_range' ? 'time' : type;
}

/** A side with this source, as a suggestion or link gives it; the service that was chosen stays. */
export function chooseSource(source: SideSource, before: SideChoice = EMPTY_SIDE): SideChoice {
  const service = 'service_id' in source ? source.service_id : before.service;
  return { kind: kindOfSource(source), service, find: '', source };
}

/** The source of a side of a comparison; of listed artifacts or a time range that was chosen without one, those. */
export function sourceOfSide(side: Comparison['base']): SideSource | null {
  const { source, artifact_ids, time_range, labels } = side;
  if (source) return source;
  if (artifact_ids && artifact_ids.length > 0) return { type: 'artifacts', artifact_ids, labels };
  if (!time_range) return null;
  const { service_id, environment_id, from: begin, to: end } = time_range;
  return { type: 'time_range', service_id, environment_id, begin, end, labels };
}

/** "endpoint=/checkout", or "endpoint is absent". */
export const labelText = ({ key, value }: LabelMatcher): string =>
  value === null ? `${key} is absent` : `${key}=${value}`;

/** The label of "endpoint=/checkout?a=b": what is before the first equals sign; null without one. */
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
