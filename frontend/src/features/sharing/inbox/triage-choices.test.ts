import { describe, expect, it } from 'vitest';
import { anInboxItem } from '../../../testing/inbox-fixtures';
import {
  assignChoices,
  mergeBlocker,
  mergeChoices,
  snoozeChoices,
  stateChoices,
} from './triage-choices';

const labels = (choices: { label: string }[]) => choices.map(({ label }) => label);

describe('assignChoices', () => {
  it('lists the current user first and "Unassigned" last', () => {
    const people = [
      { id: 'z', name: 'Zoe' },
      { id: 'me', name: 'Mira' },
      { id: 'a', name: 'Ada' },
    ];
    expect(labels(assignChoices(people, 'me'))).toEqual(['Mira (you)', 'Ada', 'Zoe', 'Unassigned']);
  });
});

describe('stateChoices', () => {
  it('lists only states that all items allow', () => {
    const regression = anInboxItem({ kind: 'regression' });
    expect(labels(stateChoices([regression]))).toContain('Not a regression');
    expect(labels(stateChoices([regression, anInboxItem()]))).toEqual([
      'New',
      'Investigating',
      'Acknowledged',
      'Not a regression',
      'Ignored',
    ]);
    expect(stateChoices([regression, anInboxItem({ kind: 'channel' })])).toEqual([]);
  });
});

describe('snoozeChoices', () => {
  const now = new Date(2026, 10, 18, 16, 30);

  it('offers tomorrow, the next deployment, the next occurrence and a date', () => {
    const choices = snoozeChoices([anInboxItem()], now);
    expect(labels(choices)).toEqual([
      'Until tomorrow, Thu 19 Nov 09:00',
      'Until the next deployment of distributor',
      'Until it occurs again',
      'Until a date…',
    ]);
    expect(choices[0]?.action).toEqual({
      type: 'snooze',
      rule: 'time',
      until: new Date(2026, 10, 19, 9).toISOString(),
    });
    expect(choices[3]?.opens).toBe('snooze-until');
  });

  it('names no service for items of two services and no deployment for items without one', () => {
    const two = [anInboxItem(), anInboxItem({ service: { id: 'q', slug: 'querier' } })];
    expect(labels(snoozeChoices(two, now))).toContain('Until the next deployment of each service');
    const source = anInboxItem({ kind: 'metric-source', service: null });
    expect(labels(snoozeChoices([source], now))).toHaveLength(3);
  });

  it('ends a snooze, and snoozes only items that are not snoozed', () => {
    const snoozed = anInboxItem({ actions: ['unsnooze'] });
    expect(labels(snoozeChoices([snoozed], now))).toEqual(['End the snooze']);
    const other = anInboxItem();
    const choices = snoozeChoices([snoozed, other], now);
    expect(choices[0]?.items).toEqual([{ kind: other.kind, id: other.id }]);
    expect(choices.at(-1)?.items).toEqual([{ kind: snoozed.kind, id: snoozed.id }]);
  });
});

describe('mergeChoices and mergeBlocker', () => {
  it('offer each item as the one that remains', () => {
    const [a, b] = [anInboxItem({ title: 'A' }), anInboxItem({ title: 'B' })];
    const choices = mergeChoices([a, b]);
    expect(labels(choices)).toEqual(['A', 'B']);
    expect(choices[1]).toMatchObject({
      action: { type: 'merge', into: { kind: b.kind, id: b.id } },
      items: [{ kind: a.kind, id: a.id }],
    });
  });

  it('offer to list a merged item separately again', () => {
    const merged = anInboxItem({ merged_into_id: 'x', actions: ['unmerge'] });
    expect(labels(mergeChoices([merged]))).toEqual(['List separately again']);
    expect(mergeBlocker([merged])).toBeNull();
  });

  it('block the merge of one item or of items of two kinds', () => {
    expect(mergeBlocker([anInboxItem()])).toMatch(/two items/u);
    expect(mergeBlocker([anInboxItem(), anInboxItem({ kind: 'bisect' })])).toMatch(/same kind/u);
    expect(mergeBlocker([anInboxItem(), anInboxItem()])).toBeNull();
  });
});
