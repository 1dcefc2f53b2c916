/** Texts on what sides contain and what their comparison could conclude. */
import type {
  ComparisonPreview,
  Conclusion,
  EvidenceCount,
  KindPreview,
  LabelPair,
  SidePreview,
  SideSource,
} from '../../../api';
import { visibleName } from '../../../engine/flame/frame-label';
import { dayNumber, momentText } from '../../../lib/times';
import { countOf, countText } from '../../../ui';
import { kindPlural } from '../../evidence/artifacts';
import { haveSameLabels, type SideName, type SidesChoice, type SourceKind } from './side-choice';

export const SOURCE_LABELS: Record<SourceKind, string> = {
  build: 'Build',
  ref: 'Branch or tag',
  deployment: 'Deployment',
  time: 'Time range',
  artifacts: 'Artifacts',
  label: 'Label value',
};

/**
 * The names of one and of several artifacts of a kind in a list of counts: "8 CPU, 4 traces, 1
 * growth log".
 */
const SHORT_KINDS: Record<string, [string, string]> = {
  'profile.cpu': ['CPU', 'CPU'],
  'profile.heap': ['heap', 'heap'],
  'profile.allocs': ['allocation', 'allocation'],
  'profile.mutex': ['mutex', 'mutex'],
  'profile.block': ['block', 'block'],
  'profile.goroutine': ['goroutine', 'goroutine'],
  'profile.threadcreate': ['thread', 'thread'],
  'profile.other': ['other profile', 'other profiles'],
  trace: ['trace', 'traces'],
  growth: ['growth log', 'growth logs'],
  spans: ['span set', 'span sets'],
  bench: ['benchmark file', 'benchmark files'],
};

export function evidenceText(evidence: EvidenceCount[], hasMetrics = false): string {
  const parts = evidence.map(({ kind, count }) => {
    const [one, several] = SHORT_KINDS[kind] ?? [kind, kind];
    return countOf(count, one, several);
  });
  return [...parts, ...(hasMetrics ? ['latency metrics'] : [])].join(', ');
}

/** What a comparison of a kind of evidence measures, and the noun of one artifact. */
const MEASURES: Record<string, [string, string]> = {
  'profile.cpu': ['CPU time', 'profile'],
  'profile.heap': ['heap in use', 'profile'],
  'profile.allocs': ['allocations', 'profile'],
  'profile.mutex': ['mutex contention', 'profile'],
  'profile.block': ['blocking', 'profile'],
  trace: ['scheduler latency', 'trace'],
  growth: ['stack growth', 'log'],
  spans: ['span gaps', 'span set'],
  bench: ['benchmarks', 'file'],
  latency: ['p99 latency', 'request'],
};

export const evidenceName = (evidence: string): string =>
  evidence === 'latency' ? 'Latency p99 from metrics' : kindPlural(evidence);

/** Formats a ratio: "+4%" up to +50%, then "×1.8". */
export function detectableText(ratio: number): string {
  const percent = (ratio - 1) * 100;
  if (percent >= 50) return `×${ratio.toFixed(ratio < 10 ? 1 : 0)}`;
  return `+${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)}%`;
}

type HeadlinePart = { text: string; isAccent?: boolean };

/** Returns "Detects a change of 4% in CPU time with 8 profiles per side", or what is missing. */
export function headlineParts(preview: ComparisonPreview): HeadlinePart[] {
  const first = preview.conclusions.find(
    ({ state, minimum_detectable_ratio }) => state === 'conclusive' && minimum_detectable_ratio,
  );
  if (!preview.can_compare || !first?.minimum_detectable_ratio) return [{ text: preview.headline }];
  const [measure, noun] = MEASURES[first.evidence] ?? [kindPlural(first.evidence), 'artifact'];
  const change = detectableText(first.minimum_detectable_ratio).replace('+', '');
  return [
    { text: 'Detects a change of ' },
    { text: `${change} in ${measure}`, isAccent: true },
    { text: ` with ${countsText(first, noun)}` },
  ];
}

function countsText({ base_count, candidate_count }: Conclusion, noun: string): string {
  if (base_count === candidate_count) return `${countOf(base_count, noun)} per side`;
  return `${countOf(base_count, noun)} in base and ${countText(candidate_count)} in candidate`;
}

/** Formats a source: "branch or tag main", "build 9c41e0a", "6 artifacts". */
export function sourceText(source: SideSource, preview: SidePreview | null | undefined): string {
  const label = preview?.label ?? '';
  const name = {
    build: () => `build ${label}`,
    ref: () => `branch or tag ${source.type === 'ref' ? source.ref : ''}`,
    deployment: () => `deployment ${label}`,
    time_range: () => `a time range of ${label || 'a service'}`,
    artifacts: () =>
      countOf(source.type === 'artifacts' ? source.artifact_ids.length : 0, 'artifact'),
  }[source.type]();
  return name.trim();
}

type Previews = Record<SideName, SidePreview | null | undefined>;

/** Whether both sides are the same samples of one build: any difference is noise. */
export function isSameBuild(choice: SidesChoice, { base, candidate }: Previews): boolean {
  if (!base || !candidate || !haveSameLabels(choice)) return false;
  if (base.build_id !== null) return base.build_id === candidate.build_id;
  const binary = binaryOf(base);
  return binary !== null && binary === binaryOf(candidate);
}

/** Returns the build ID if all artifacts of a side that have one have the same; otherwise null. */
function binaryOf({ conditions }: SidePreview): string | null {
  const [first, second] = new Set(conditions.flatMap(({ build_id }) => build_id ?? []));
  return second === undefined ? (first ?? null) : null;
}

/** Returns why the comparison cannot be started, or null. */
export function explainDisabledStart(
  choice: SidesChoice,
  previews: Previews,
  both: { data: ComparisonPreview | undefined; error: Error | null },
  mayWrite: boolean,
): string | null {
  if (!mayWrite) return 'Viewers cannot start comparisons.';
  if (!choice.base.source && !choice.candidate.source) return 'Choose both sides.';
  for (const side of ['base', 'candidate'] as const) {
    if (!choice[side].source) return `Choose the ${side}.`;
    const reason = previews[side]?.empty_reason;
    if (reason) return `The ${side} has nothing to compare. ${reason}`;
  }
  if (both.error) return 'The sides cannot be compared.';
  if (!both.data) return 'Reading what both sides contain.';
  return both.data.can_compare ? null : both.data.headline;
}

/** Returns the kinds of both sides in one order, which aligns the rows of both tables. */
export function kindsOfSides(
  own: SidePreview,
  other: SidePreview | null | undefined,
): KindPreview[] {
  const missing = (other?.kinds ?? []).filter(
    ({ kind }) => !own.kinds.some((each) => each.kind === kind),
  );
  const none = { count: 0, samples: null, recorded_from: null, recorded_to: null };
  return [...own.kinds, ...missing.map(({ kind }) => ({ ...none, kind, duration_ns: null }))].sort(
    (a, b) => orderOf(a.kind) - orderOf(b.kind),
  );
}

const KIND_ORDER = Object.keys(SHORT_KINDS);
const orderOf = (kind: string | null): number =>
  kind !== null && KIND_ORDER.includes(kind) ? KIND_ORDER.indexOf(kind) : KIND_ORDER.length;

type Condition = { name: string; value: string; differs: boolean };

/**
 * Returns the conditions under which the artifacts were recorded; several values if they differ
 * within the side.
 */
export function conditionsOf(own: SidePreview, other: SidePreview | null | undefined): Condition[] {
  const [mine, others] = [valuesOf(own), other ? valuesOf(other) : null];
  return Object.entries(mine)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ({
      name,
      value,
      differs: others !== null && (others[name] ?? '') !== '' && others[name] !== value,
    }));
}

function valuesOf({ conditions }: SidePreview): Record<string, string> {
  const distinct = (valueOf: (each: SidePreview['conditions'][number]) => string | undefined) =>
    [...new Set(conditions.map(valueOf).filter((value) => !!value))].sort().join(', ');
  return {
    go: distinct(({ go_version }) => go_version?.replace(/^go/u, '')),
    platform: distinct(({ goos, goarch }) => [goos, goarch].filter(Boolean).join('/')),
    machine: distinct(({ cpu_model }) => cpu_model),
    GOMAXPROCS: distinct(({ gomaxprocs }) => gomaxprocs?.toString()),
  };
}

/** Formats a time range: "Tue 17 Nov 09:12 to 09:16". */
export function recordedText({ recorded_from, recorded_to }: KindPreview): string {
  if (!recorded_from) return '';
  const [from, to] = [momentText(recorded_from), recorded_to ? momentText(recorded_to) : ''];
  if (to === '' || to === from) return from;
  const sameDay = recorded_to && dayNumber(recorded_from) === dayNumber(recorded_to);
  return `${from} to ${sameDay ? to.slice(-5) : to}`;
}

/** The maximum number of characters of a label value in a sentence. */
const MOST_OF_VALUE = 60;

const percentText = (share: number): string =>
  share < 0.01 ? 'less than 1%' : `${Math.round(share * 100)}%`;

/** Formats a pair: "/checkout and /cart of label endpoint, 41% and 22% of the CPU". */
export function labelPairText({ key, first, second }: LabelPair): string {
  const [one, other, label] = [first.value, second.value, key].map((text) =>
    visibleName(text, MOST_OF_VALUE),
  );
  const shares = `${percentText(first.share)} and ${percentText(second.share)}`;
  return `${one} and ${other} of label ${label}, ${shares} of the CPU`;
}
