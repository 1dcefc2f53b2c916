/** The choices in the menus of the inbox for some items. */
import type { InboxAction, InboxItem, InboxItemRef } from '../../../api';
import { momentText } from '../../../lib/times';
import type { Glyph } from '../../../ui';
import type { TriageMenu } from './inbox-keys';
import { allows, stateLabel, tomorrowAtNine, type Person } from './inbox-wording';

export type Choice = {
  label: string;
  glyph?: Glyph;
  /** The action of the choice; a choice that needs more opens a form instead. */
  action?: InboxAction;
  opens?: TriageMenu;
  /** The items that the action applies to, if it does not apply to all. */
  items?: InboxItemRef[];
};

/**
 * Returns the current user first, then the others by name, and a last choice that removes the
 * assignee.
 */
export function assignChoices(people: readonly Person[], me: string): Choice[] {
  const own = people.find(({ id }) => id === me);
  const others = people
    .filter(({ id }) => id !== me)
    .toSorted((a, b) => a.name.localeCompare(b.name));
  const to = (label: string, assignee_id: string | null): Choice => ({
    label,
    action: { type: 'assign', assignee_id },
  });
  return [
    ...(own ? [to(`${own.name} (you)`, own.id)] : []),
    ...others.map(({ id, name }) => to(name, id)),
    to('Unassigned', null),
  ];
}

type SettableState = (InboxAction & { type: 'set-state' })['state'];

const OPEN_STATES: SettableState[] = ['new', 'investigating', 'acknowledged'];
/** The states that a user can set. Only a proof sets a production event to fixed. */
const STATES: Partial<Record<InboxItem['kind'], SettableState[]>> = {
  regression: [...OPEN_STATES, 'fixed', 'improved', 'not-a-regression', 'ignored'],
  'production-event': [...OPEN_STATES, 'not-a-regression', 'ignored'],
};

/** Returns the states that all of the items may have. */
export function stateChoices(items: readonly InboxItem[]): Choice[] {
  const lists = items.map(({ kind }) => STATES[kind] ?? []);
  const [first = [], ...others] = lists;
  return first
    .filter((state) => others.every((list) => list.includes(state)))
    .map((state) => {
      const [glyph, label] = stateLabel(state);
      return { label, glyph, action: { type: 'set-state', state } };
    });
}

/**
 * Returns the choices for items that can be snoozed, and one that ends the snooze of those that are
 * snoozed.
 */
export function snoozeChoices(items: readonly InboxItem[], now: Date): Choice[] {
  const snoozed = items.filter((item) => allows(item, ['unsnooze']));
  const open = items.filter((item) => allows(item, ['snooze']));
  const end: Choice = {
    label: 'End the snooze',
    action: { type: 'unsnooze' },
    items: snoozed.map(refOf),
  };
  return [...(open.length > 0 ? newSnoozes(open, now) : []), ...(snoozed.length > 0 ? [end] : [])];
}

function newSnoozes(items: readonly InboxItem[], now: Date): Choice[] {
  const nine = tomorrowAtNine(now);
  const refs = items.map(refOf);
  const services = new Set(items.flatMap(({ service }) => (service ? [service.slug] : [])));
  const [service] = services;
  const deployment: Choice = {
    label: `Until the next deployment of ${services.size === 1 ? (service ?? '') : 'each service'}`,
    action: { type: 'snooze', rule: 'next-deployment' },
    items: refs,
  };
  const hasServices = items.every((item) => item.service !== null);
  return [
    {
      label: `Until tomorrow, ${momentText(nine)}`,
      action: { type: 'snooze', rule: 'time', until: nine.toISOString() },
      items: refs,
    },
    ...(hasServices ? [deployment] : []),
    {
      label: items.length === 1 ? 'Until it occurs again' : 'Until they occur again',
      action: { type: 'snooze', rule: 'next-occurrence' },
      items: refs,
    },
    { label: 'Until a date…', opens: 'snooze-until' },
  ];
}

/**
 * Returns one choice for each item into which the others can be merged. If any were merged, returns
 * the choice to list them separately again.
 */
export function mergeChoices(items: readonly InboxItem[]): Choice[] {
  const merged = items.filter((item) => allows(item, ['unmerge']));
  if (merged.length > 0)
    return [
      { label: 'List separately again', action: { type: 'unmerge' }, items: merged.map(refOf) },
    ];
  if (items.length < 2) return [];
  return items.map((into) => ({
    label: into.title,
    action: { type: 'merge', into: refOf(into) },
    items: items.filter((item) => item !== into).map(refOf),
  }));
}

/** Returns the reason why these items cannot be merged, or null. */
export function mergeBlocker(items: readonly InboxItem[]): string | null {
  if (mergeChoices(items).length === 0) return 'Select two items or more to merge them.';
  const kinds = new Set(items.map(({ kind }) => kind));
  return kinds.size > 1 ? 'Only items of the same kind can be merged.' : null;
}

const refOf = ({ kind, id }: InboxItem): InboxItemRef => ({ kind, id });
