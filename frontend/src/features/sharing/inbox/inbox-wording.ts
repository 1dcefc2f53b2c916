/** Texts of the inbox: severities, kinds, states, and results of actions. */
import type { InboxAction, InboxItem } from '../../../api';
import { momentOf } from '../../../lib/wall-times';
import { dayNumber, momentText } from '../../../lib/times';
import { formatNumber, formatRatio, formatRatioRange } from '../../../engine/format/format';
import { countOf, type Glyph } from '../../../ui';
import type { View } from './inbox-url';

export type ActionType = InboxItem['actions'][number];
export type Person = { id: string; name: string };

export const VIEW_LABELS: Record<View, string> = {
  'needs-action': 'Needs action',
  mine: 'Assigned to me',
  production: 'Production',
  regressions: 'Regressions over builds',
  snoozed: 'Snoozed',
  closed: 'Closed',
};

export const GROUP_LABELS: Record<InboxItem['group'], string> = {
  production: 'Production',
  regressions: 'Regressions over builds',
  'bisects-and-sources': 'Bisects and data sources',
};
export const GROUPS = Object.keys(GROUP_LABELS) as InboxItem['group'][];

export const KIND_LABELS: Record<InboxItem['kind'], string> = {
  'production-event': 'production event',
  regression: 'regression',
  bisect: 'bisect',
  channel: 'notification channel',
  'metric-source': 'metric source',
};

/** The number of bars and the word of a severity. */
export const SEVERITY_LABELS: Record<InboxItem['severity'], [number, string]> = {
  high: [3, 'High'],
  medium: [2, 'Medium'],
  low: [1, 'Low'],
};

/** Formats the latency added per second, summed over the requests of one second: "1.10 s/s". */
export const addedText = ({ added_seconds_per_second: added }: InboxItem): string =>
  added === null ? '' : `${formatNumber(added)} s/s`;

export const changeText = ({ change }: InboxItem): string =>
  change === null ? '' : formatRatio(change.ratio);
export const changeRangeText = ({ change }: InboxItem): string =>
  change?.low == null || change.high === null ? '' : formatRatioRange(change.low, change.high);

/** Returns a key that is unique among items of all kinds. */
export const itemKey = ({ kind, id }: { kind: string; id: string }): string => `${kind} ${id}`;

/**
 * Returns the tone of the sparkline's new level: worse or better while the item is open, neutral
 * once it is closed.
 */
export function toneOf({ closed, change }: InboxItem): 'more' | 'less' | 'quiet' {
  if (closed !== null) return 'quiet';
  return change !== null && change.ratio < 1 ? 'less' : 'more';
}

type State = InboxItem['state'];

const STATES: Record<State, [Glyph, string]> = {
  new: ['more', 'New'],
  investigating: ['running', 'Investigating'],
  acknowledged: ['unsure', 'Acknowledged'],
  closed: ['done', 'Closed'],
  fixed: ['done', 'Fixed'],
  improved: ['less', 'Improved'],
  'not-a-regression': ['ended', 'Not a regression'],
  ignored: ['same', 'Ignored'],
  'waiting-approval': ['waiting', 'Waits for approval'],
  paused: ['waiting', 'Paused'],
  found: ['done', 'Culprit found'],
  'not-in-range': ['unsure', 'Not in range'],
  'not-separable': ['unsure', 'Not separable'],
  stopped: ['ended', 'Stopped'],
  cancelled: ['ended', 'Cancelled'],
  failed: ['failed', 'Failed'],
  failing: ['failed', 'Failing'],
  'disabled-after-failures': ['failed', 'Disabled'],
};

export const stateLabel = (state: State): [Glyph, string] => STATES[state];

// A due date is a calendar day without a time zone.
const dayOnly = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** Returns until when an item is snoozed: "snoozed until Fri 20 Nov 09:00". */
function snoozeText({ snooze, service }: InboxItem): string {
  if (snooze === null) return '';
  return `snoozed ${untilText(snooze.rule, snooze.until, service?.slug)}`;
}

function untilText(
  rule: NonNullable<InboxItem['snooze']>['rule'],
  until: string | null,
  service?: string,
): string {
  if (rule === 'next-deployment')
    return service ? `until the next deployment of ${service}` : 'until the next deployment';
  if (rule === 'next-occurrence') return 'until it occurs again';
  return until === null ? 'until a time' : `until ${momentText(until)}`;
}

/**
 * Returns the title, with the number of a bisect in front, or the service of a production event if
 * the title does not contain it.
 */
export function titleText({ kind, number, title, service }: InboxItem): string {
  if (kind === 'bisect') return `Bisect${number === null ? '' : ` ${number}`}: ${title}`;
  return kind === 'production-event' && service && !title.includes(service.slug)
    ? `${service.slug}: ${title}`
    : title;
}

/** Returns the second line of a row: its detail, and the decisions about it. */
export function detailText(item: InboxItem): string {
  const parts = [
    item.kind !== 'production-event' && item.service?.slug,
    item.kind === 'production-event' && item.environment?.name,
    item.merged > 0 && `${countOf(item.merged, 'item')} merged`,
    item.due_on !== null && `due ${dayOnly.format(new Date(item.due_on))}`,
    snoozeText(item),
    item.mute_reason !== null && `muted: ${item.mute_reason}`,
    item.closed?.sentence,
    item.detail,
  ];
  return parts.filter(Boolean).join(' · ');
}

/**
 * Returns the most severe item; among equal ones the one that adds the most latency, then the
 * first.
 */
export function mostSevere(items: readonly InboxItem[]): InboxItem | null {
  const rank = ({ severity, added_seconds_per_second: added }: InboxItem) =>
    SEVERITY_LABELS[severity][0] * 1e9 + (added ?? 0);
  return items.reduce<InboxItem | null>(
    (most, item) => (most === null || rank(item) > rank(most) ? item : most),
    null,
  );
}

export const itemsText = (count: number): string => countOf(count, 'item');

/** Describes an action that was done: "Assigned 2 items to Mira Kovač". */
export function doneText(action: InboxAction, count: number, people: readonly Person[]): string {
  const items = itemsText(count);
  switch (action.type) {
    case 'assign': {
      if (action.assignee_id === null) return `Unassigned ${items}`;
      const person = people.find(({ id }) => id === action.assignee_id);
      return `Assigned ${items} to ${person?.name ?? 'a member'}`;
    }
    case 'set-state':
      return `Set ${items} to ${stateLabel(action.state)[1]}`;
    case 'set-due':
      return action.due_on === null
        ? `Removed the due date of ${items}`
        : `${items} due ${dayOnly.format(new Date(action.due_on))}`;
    case 'snooze':
      return `Snoozed ${items} ${untilText(action.rule, action.until ?? null)}`;
    case 'unsnooze':
      return `Ended the snooze of ${items}`;
    case 'mute':
      return `Muted ${items}`;
    case 'unmute':
      return `Unmuted ${items}`;
    case 'merge':
      return `Merged ${items} into another`;
    case 'unmerge':
      return `Separated ${items}`;
    case 'fixed-by':
      return `Marked ${items} as fixed`;
  }
}

/** Returns tomorrow at 9:00 in the user's time zone. */
export const tomorrowAtNine = (now: Date): Date =>
  new Date(momentOf((dayNumber(now) + 1) * 86_400_000 + 9 * 3_600_000));

/** Returns whether an item allows one of the actions. */
export const allows = (item: InboxItem, types: readonly ActionType[]): boolean =>
  types.some((type) => item.actions.includes(type));

/** Returns the reason why the actions cannot be applied to all of these items, or null. */
export function actionBlocker(
  items: readonly InboxItem[],
  types: readonly ActionType[],
): string | null {
  if (items.length === 0) return 'No item is selected.';
  const refused = items.filter((item) => !allows(item, types));
  if (refused.length === 0) return null;
  const kinds = [...new Set(refused.map(({ kind }) => KIND_LABELS[kind]))].join(', ');
  return refused.length === items.length
    ? `Not possible for: ${kinds}`
    : `Not possible for ${itemsText(refused.length)} of ${items.length}: ${kinds}`;
}
