/** What the menus of the inbox offer for some items. */
import type { InboxAction, InboxItem, InboxItemRef } from '../../../api';
import type { Glyph } from '../../../ui';
import type { TriageMenu } from './inbox-keys';
import { momentText, stateLabel, tomorrowAtNine, type Person } from './inbox-wording';

export type Choice = {
  label: string;
  glyph?: Glyph;
  /** What it does; a choice that needs more opens a form instead. */
  action?: InboxAction;
  opens?: TriageMenu;
  /** The items it is for, where these are not all. */
  items?: InboxItemRef[];
};

/** The current user first, then the others by name, then nobody. */
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

const REGRESSION_STATES = ['new', 'investigating', 'acknowledged', 'fixed', 'not-a-regression', 'ignored'];
const EVENT_STATES = ['new', 'investigating', 'acknowledged'];
const STATES: Partial<Record<InboxItem['kind'], string[]>> = {
  regression: REGRESSION_STATES,
  'production-event': EVENT_STATES,
};

/** States that every one of the items may have. */
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

export function snoozeChoices(items: readonly InboxItem[], now: Date): Choice[] {
  const nine = tomorrowAtNine(now);
  const services = new Set(items.flatMap(({ service }) => (service ? [service.slug] : [])));
  const [service] = services;
  const deployment =
    services.size === 1 && service !== undefined
      ? `Until the next deployment of ${service}`
      : 'Until the next deployment of each service';
  return [
    {
      label: `Until tomorrow, ${momentText(nine)}`,
      action: { type: 'snooze', rule: 'time', until: nine.toISOString() },
    },
    ...(services.size > 0
      ? [
          {
            label: deployment,
            action: { type: 'snooze', rule: 'next-deployment', until: null } as const,
          },
        ]
      : []),
    {
      label: items.length === 1 ? 'Until it occurs again' : 'Until they occur again',
      action: { type: 'snooze', rule: 'next-occurrence', until: null },
    },
    { label: 'Until a date…', opens: 'snooze-until' },
    ...(items.some(({ snooze }) => snooze !== null)
      ? [{ label: 'End the snooze', action: { type: 'unsnooze' } as const }]
      : []),
  ];
}

/** Each of the items as the one that remains. */
export function mergeChoices(items: readonly InboxItem[]): Choice[] {
  const separate: Choice[] = items.some(({ merged }) => merged > 0)
    ? [{ label: 'Separate merged items', action: { type: 'unmerge' } }]
    : [];
  const into = items.map(
    ({ kind, id, title }): Choice => ({
      label: title,
      action: { type: 'merge', into: { kind, id } },
      items: items.filter((item) => item.id !== id).map((item) => ({ kind: item.kind, id: item.id })),
    }),
  );
  return items.length > 1 ? [...into, ...separate] : separate;
}
