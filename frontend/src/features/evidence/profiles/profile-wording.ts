/** Texts of a profile: its title, a line of facts, labels, and the unit of its values. */
import type { LabelMatcher, ProfileSet, ProfileViewSummary } from '../../../api';
import { normalizationPhrase } from '../../../engine/format/change-wording';
import { formatNumber, formatShare, formatValue, unitOf } from '../../../engine/format/format';
import { categoryLabel, kindLabel, sampleTypeLabel } from '../../../engine/format/profile-labels';
import { countOf, durationText } from '../../../ui';

/** Splits a headline at its backticks: names between them are code. */
export function headlineParts(headline: string): { text: string; code: boolean }[] {
  return headline
    .replace(/\.$/u, '')
    .split('`')
    .map((text, at) => ({ text, code: at % 2 === 1 }))
    .filter(({ text }) => text !== '');
}

/** Returns the name of a set for lists and the title of the browser's tab. */
export function setName({ artifacts, kinds }: Pick<ProfileSet, 'artifacts' | 'kinds'>): string {
  const [only] = artifacts;
  if (artifacts.length === 1 && only) return only.name;
  const words = kinds.map(({ kind }) => kindLabel(kind)).join(', ');
  return words === ''
    ? `Set of ${artifacts.length}`
    : `${words} profiles, set of ${artifacts.length}`;
}

/** Returns the line of facts below the title: exact values and conditions. */
export function factsText(
  set: ProfileSet,
  summary: ProfileViewSummary,
  whole: ProfileViewSummary | null,
): string {
  const { total, sample_type: type, kind } = summary;
  const measured = sampleTypeLabel(kind, type.type);
  const of = kind === 'cpu' && type.type === 'cpu' ? 'CPU' : measured;
  const artifacts = set.artifacts.filter((each) => each.state === 'decoded');
  const duration = artifacts.reduce((sum, each) => sum + (each.duration_ns ?? 0), 0);
  const over = duration > 0 ? ` over ${durationText(duration)}` : '';
  // Counts have no "of": "2,000 stack growths", but "2.9 ms of CPU".
  const amount = (raw: number) =>
    `${formatValue(raw, type.unit)}${type.unit === 'count' ? '' : ' of'} ${of}`;
  const parts = [
    total.per_request === null ? '' : `${amount(total.per_request)} per request`,
    total.cores === null
      ? `${amount(total.raw)}${over}`
      : `${formatNumber(total.cores)} cores${over}`,
    artifacts.length === 1 ? '' : countOf(artifacts.length, 'artifact'),
    conditionsText(set),
    whole && whole.total.raw > 0
      ? `${formatShare(total.raw / whole.total.raw)} of ${measured} after the label filter`
      : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function conditionsText({ conditions }: ProfileSet): string {
  if (!conditions) return '';
  const platform = [conditions.goos, conditions.goarch].filter(Boolean).join('/');
  return [conditions.go_version, platform].filter(Boolean).join(' ');
}

/** Describes the width of the graph, such as "CPU time per request, 2.88 ms". */
export function widthText(
  { kind, sample_type: { type } }: ProfileViewSummary,
  scaled: { unit: string; total: number },
): string {
  const unit = unitOf(scaled.unit);
  const measured = [sampleTypeLabel(kind, type), normalizationPhrase(unit)].filter(Boolean);
  return `${measured.join(' ')}, ${formatValue(scaled.total, unit)}`;
}

/** Formats a label, such as "endpoint = /api/v1/write" or "no endpoint". */
export const labelText = ({ key, value }: LabelMatcher): string =>
  value === null ? `no ${key}` : `${key} = ${value}`;

/** Groups label values by key; the values of one key are alternatives. */
export function groupLabels(
  labels: readonly LabelMatcher[],
): { key: string; values: (string | null)[] }[] {
  const found = new Map<string, (string | null)[]>();
  for (const { key, value } of labels) found.set(key, [...(found.get(key) ?? []), value]);
  return [...found].map(([key, values]) => ({ key, values }));
}

/** Adds a label value to a filter, or removes it if the filter has it. */
export function toggleLabel(labels: readonly LabelMatcher[], label: LabelMatcher): LabelMatcher[] {
  const isSame = ({ key, value }: LabelMatcher) => key === label.key && value === label.value;
  return labels.some(isSame) ? labels.filter((each) => !isSame(each)) : [...labels, label];
}

/** Formats the values of one key, such as "endpoint = /a or /b". */
export const labelsText = ({ key, values }: { key: string; values: (string | null)[] }): string =>
  values.length === 1
    ? labelText({ key, value: values[0]! })
    : `${key} = ${values.map((value) => value ?? 'no value').join(' or ')}`;

/** Formats a category with its share, such as "stack growth, 25%". */
export function categoryText(summary: ProfileViewSummary, id: string): string {
  const found = summary.categories.find(({ category }) => category === id);
  return found ? `${shortCategory(id)}, ${formatShare(found.share)}` : '';
}

/** Returns a category's name without its explanation in brackets, for narrow columns. */
export const shortCategory = (id: string): string => categoryLabel(id).replace(/ \(.*\)$/u, '');
