/** Texts of production events. */
import type { ProductionEvent } from '../../../api';
import { formatNumber, formatRatio } from '../../../engine/format/format';
import { countOf, type Glyph } from '../../../ui';
import { shortCommit } from '../../../lib/commits';

type Item = ProductionEvent['item'];

const OPEN: Record<string, [Glyph, string]> = {
  new: ['more', 'New'],
  investigating: ['running', 'Investigating'],
  acknowledged: ['unsure', 'Acknowledged'],
  'not-a-regression': ['ended', 'Not a regression'],
  ignored: ['same', 'Ignored'],
};

const CLOSED: Record<string, string> = {
  'rolled-back': 'Confirmed by rollback',
  fixed: 'Confirmed by fix',
  recovered: 'Recovered',
  'budget-removed': 'Budget removed',
  settled: 'New level',
  joined: 'Part of another event',
};

export const EVENT_KINDS: Record<ProductionEvent['kind'], string> = {
  latency: 'Latency',
  'slow-deployment': 'Slow deployment, no change point',
  load: 'Load',
  gauge: 'Gauge',
};

/** Returns the state beside the breadcrumb: how the event was closed, or that it is open. */
export function stateText({ state, closed }: Pick<Item, 'state' | 'closed'>): [Glyph, string] {
  const proven = closed && CLOSED[closed.reason];
  return proven ? ['done', proven] : (OPEN[state] ?? ['done', 'Closed']);
}

export const PROOF_STATES: Record<ProductionEvent['proof'][number]['state'], [Glyph, string]> = {
  holds: ['done', 'holds'],
  fails: ['ended', 'does not hold'],
  unknown: ['waiting', 'not known yet'],
};

export const BUDGET_STATES: Record<ProductionEvent['budgets'][number]['state'], [Glyph, string]> = {
  exceeded: ['more', 'Exceeded'],
  within: ['done', 'Within budget'],
  inconclusive: ['unsure', 'Inconclusive'],
};

/** Returns the title, with the service if the title does not contain it. */
export const titleText = ({ title, service }: Item): string =>
  service && !title.includes(service.slug) ? `${service.slug}: ${title}` : title;

/** Returns one line with the exact values, how the event ended, and how much latency it adds. */
export function sizeText({ item, sentence, requests_affected: requests }: ProductionEvent): string {
  const { added_seconds_per_second: added, closed } = item;
  const parts = [
    sentence.replace(/\.$/u, ''),
    closed?.sentence.replace(/\.$/u, ''),
    requests !== null && `${countOf(requests, 'request')} affected`,
    added !== null && `${formatNumber(added)} s of latency added each second`,
  ];
  return parts.filter(Boolean).join(' · ');
}

type Signal = ProductionEvent['signals'][number];

/** Formats another signal that changed: "gateway p99 ×1.4". */
export const signalText = ({ service, signal, gauge, ratio }: Signal): string =>
  `${service.slug} ${gauge ?? (signal === 'qps' ? 'load' : signal)} ${formatRatio(ratio)}`;

/** Returns the signals of followers, and other signals of the culprit service. */
export const otherSignals = ({ signals, signal, gauge }: ProductionEvent): Signal[] =>
  signals.filter(
    (other) => other.role === 'follower' || other.signal !== signal || other.gauge !== gauge,
  );

export const deploymentName = ({ commit, label }: ProductionEvent['deployments'][number]): string =>
  commit ? shortCommit(commit) : (label ?? 'deployment');

const VERDICTS: Record<string, string> = {
  slower: 'slower',
  'not-slower': 'not slower',
  inconclusive: 'inconclusive',
};
const ROLES: Record<ProductionEvent['deployments'][number]['role'], string> = {
  former: 'before the event',
  cause: 'cause',
  later: 'after the event began',
};

export function deploymentText({ role, verdict }: ProductionEvent['deployments'][number]): string {
  return [ROLES[role], verdict !== null && VERDICTS[verdict]].filter(Boolean).join(', ');
}

/** Returns the tone of an entry of the history: worse, over, by a person, or neither. */
export function historyTone(type: string): 'more' | 'ok' | 'accent' | 'plain' {
  if (type === 'opened' || type === 'reopened' || type === 'joined' || type === 'budget')
    return 'more';
  if (type === 'closed') return 'ok';
  return type === 'assignee' || type === 'state' || type === 'fix' || type === 'due'
    ? 'accent'
    : 'plain';
}

export const percentText = (share: number): string => `${Math.round(share * 100)}%`;
