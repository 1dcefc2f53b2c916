/** Texts of regressions. */
import type {
  Judgement,
  MuteRuleIn,
  Regression,
  RegressionEvent,
  RegressionDetailOut,
} from '../../../api';
import { formatRatio, formatRatioRange } from '../../../engine/format/format';
import { countOf, type Glyph } from '../../../ui';

export type SeriesKind = MuteRuleIn['kind'];

export type State = Regression['state'];

export const OPEN: State[] = ['new', 'investigating', 'acknowledged'];
export const CLOSED: State[] = ['fixed', 'improved', 'not-a-regression', 'ignored'];

export const STATES: Record<State, [Glyph, string]> = {
  new: ['more', 'New'],
  investigating: ['running', 'Investigating'],
  acknowledged: ['unsure', 'Acknowledged'],
  fixed: ['done', 'Fixed'],
  improved: ['less', 'Improved'],
  'not-a-regression': ['ended', 'Not a regression'],
  ignored: ['same', 'Ignored'],
};

export const isOpen = ({ state }: Regression): boolean => OPEN.includes(state);

/** Returns the color of the new level: that of its direction, or neutral once it was dismissed. */
export function toneOf({ state, direction }: Regression): 'more' | 'less' | 'quiet' {
  if (state === 'not-a-regression' || state === 'ignored') return 'quiet';
  return direction === 'worse' ? 'more' : 'less';
}

export const changeText = ({ ratio }: Regression): string =>
  ratio === null ? '' : formatRatio(ratio);

export const rangeText = ({ ratio_low, ratio_high }: Regression): string =>
  ratio_low === null || ratio_high === null ? '' : formatRatioRange(ratio_low, ratio_high);

/** Names a regression as messages and comments do. */
export const numberText = (number: number): string => `regression ${number}`;

const COUNT_LABELS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];
const counted = (count: number): string => COUNT_LABELS[count] ?? String(count);

/** Returns the headline of the list: "Two regressions are new, one of them unassigned". */
export function headlineText(fresh: number, unassigned: number, open: number): string {
  if (open === 0) return 'No open regressions';
  if (fresh === 0)
    return `${counted(open)} ${open === 1 ? 'regression is' : 'regressions are'} open, none are new`;
  const are = fresh === 1 ? 'regression is' : 'regressions are';
  if (unassigned === 0) return `${counted(fresh)} ${are} new`;
  if (fresh === 1) return '1 new regression, unassigned';
  const of = unassigned === fresh ? 'all of them' : `${counted(unassigned).toLowerCase()} of them`;
  return `${counted(fresh)} ${are} new, ${of} unassigned`;
}

export function requiredEvidenceText(needs: Regression['required_evidence']): string | null {
  if (!needs) return null;
  const ways = [
    needs.profiles && `${countOf(needs.profiles, 'more profile')} of this build`,
    needs.builds && countOf(needs.builds, 'more build'),
  ].filter(Boolean);
  return ways.length === 0 ? null : `needs ${ways.join(' or ')} for a conclusive result`;
}

export const VERDICT_LABELS: Record<Judgement['state'], [Glyph, string]> = {
  pending: ['waiting', 'waiting'],
  evaluating: ['running', 'being evaluated'],
  passed: ['done', 'passed'],
  changed: ['more', 'changed'],
  inconclusive: ['unsure', 'inconclusive'],
  skipped: ['ended', 'not evaluated'],
};

const stateText = (state: string | null | undefined): string =>
  state && state in STATES ? STATES[state as State][1].toLowerCase() : (state ?? '');

function branchText(branch?: string | null): string {
  const name = branch ?? '';
  return name === '' ? 'builds without a branch' : name;
}

/** Describes the sides of a cited comparison. */
export function citedText({
  kind: what,
  details: facts,
}: RegressionDetailOut['evidence'][number]): string {
  if (what !== 'fix-verification') return 'Before vs. after';
  return facts.against === 'bad'
    ? 'the slower build vs. later builds'
    : 'the good build vs. later builds';
}

/** Returns the text of an event in the history, without user and time. */
export function eventText(
  { kind: what, details: facts }: RegressionEvent,
  nameOf: (id: string) => string,
): string {
  switch (what) {
    case 'opened':
      return 'confirmed';
    case 'state':
      return `${stateText(facts.from)} → ${stateText(facts.to)}`;
    case 'assignee':
      return facts.to ? `assigned to ${nameOf(facts.to)}` : 'unassigned';
    case 'due':
      return facts.to ? `due on ${facts.to}` : 'no longer due';
    case 'comparison':
      return 'compared the builds before and after';
    case 'changed':
      return 'updated';
    case 'fixed':
      return facts.sentence ?? 'fixed';
    case 'improved':
      return facts.sentence ?? 'improved beyond the old level';
    case 'still-slower':
      return facts.sentence ?? 'still slower';
    case 'reopened':
      return 'reopened';
    case 'merged-to-branch':
      return `reached ${branchText(facts.to)} from ${branchText(facts.from)}`;
    case 'bisect-not-started':
      return `no bisect was started automatically: ${facts.sentence ?? ''}`;
    case 'note':
      return facts.text ?? '';
  }
}

const KIND_LABELS: Record<SeriesKind, string> = {
  'profile.category': 'runtime categories',
  'profile.function': 'functions',
  'profile.allocs': 'allocations',
  'profile.heap': 'heap in use',
  'profile.mutex': 'mutex contention (not evaluated)',
  'profile.block': 'blocking (not evaluated)',
  'trace.sched_delay': 'scheduler latency',
  'growth.count': 'stack growth',
  bench: 'benchmarks',
  latency: 'latency of deployments',
};
export const KINDS = Object.entries(KIND_LABELS).map(([value, label]) => ({
  value: value as SeriesKind,
  label,
}));

/** Kinds of series that are drawn but cause no notifications. */
export const NOT_EVALUATED: ReadonlySet<string> = new Set(['profile.mutex', 'profile.block']);

/** Returns the label of a kind, which is shown beside the name of a series. */
export const kindText = (kind: string): string =>
  KINDS.find(({ value }) => value === kind)?.label ?? kind;

/** Returns the name of a series, or its subject in older snapshots that have no names. */
export const seriesName = (series: { kind: string; subject: string; name?: string }): string =>
  [series.name, series.subject].find(Boolean) ?? kindText(series.kind);
