import { describe, expect, it } from 'vitest';
import type { InboxAction } from '../../../api';
import { anInboxItem } from '../../../testing/inbox-fixtures';
import {
  actionBlocker,
  addedText,
  changeRangeText,
  changeText,
  detailText,
  doneText,
  mostSevere,
  titleText,
  tomorrowAtNine,
} from './inbox-wording';

const PEOPLE = [{ id: 'p1', name: 'Mira Kovač' }];
describe('inbox row', () => {
  it('shows added latency, change and interval, and nothing where they are unknown', () => {
    const item = anInboxItem();
    expect([addedText(item), changeText(item), changeRangeText(item)]).toEqual([
      '1.10 s/s',
      '×1.80',
      '1.68 – 1.93',
    ]);
    const unknown = anInboxItem({ added_seconds_per_second: null, change: null });
    expect([addedText(unknown), changeText(unknown), changeRangeText(unknown)]).toEqual([
      '',
      '',
      '',
    ]);
  });

  it('adds merges, due date, snooze and mute reason to its detail', () => {
    const text = detailText(
      anInboxItem({
        merged: 2,
        due_on: '2026-11-27',
        snooze: { rule: 'next-deployment', until: null },
        mute_reason: 'load test',
      }),
    );
    expect(text).toBe(
      'production · 2 items merged · due 27 Nov · snoozed until the next deployment of distributor · muted: load test · change point, also in gateway',
    );
  });
});

describe('titleText', () => {
  it('names the service of an event once, and a bisect by its number', () => {
    expect(titleText(anInboxItem({ title: 'p99 is 1.8 times as high' }))).toBe(
      'distributor: p99 is 1.8 times as high',
    );
    expect(titleText(anInboxItem({ title: 'distributor p99 rose' }))).toBe('distributor p99 rose');
    expect(titleText(anInboxItem({ kind: 'bisect', number: 13, title: 'slow' }))).toBe(
      'Bisect 13: slow',
    );
  });
});

it('mostSevere returns the item of the highest severity with the most added latency', () => {
  const low = anInboxItem({ severity: 'low', added_seconds_per_second: 9 });
  const high = anInboxItem({ severity: 'high', added_seconds_per_second: null });
  const higher = anInboxItem({ severity: 'high', added_seconds_per_second: 0.5 });
  expect(mostSevere([low, high, higher])).toBe(higher);
  expect(mostSevere([])).toBeNull();
});

describe('doneText', () => {
  it.each<[InboxAction, number, string]>([
    [{ type: 'assign', assignee_id: 'p1' }, 2, 'Assigned 2 items to Mira Kovač'],
    [{ type: 'assign', assignee_id: null }, 1, 'Unassigned 1 item'],
    [{ type: 'set-state', state: 'acknowledged' }, 3, 'Set 3 items to Acknowledged'],
    [
      { type: 'snooze', rule: 'next-occurrence', until: null },
      1,
      'Snoozed 1 item until it occurs again',
    ],
    [{ type: 'mute', reason: 'load test' }, 1, 'Muted 1 item'],
  ])('describes %o in a sentence', (action, count, text) =>
    expect(doneText(action, count, PEOPLE)).toBe(text),
  );
});

describe('actionBlocker', () => {
  it('names the kinds of items that do not allow an action', () => {
    const source = anInboxItem({ kind: 'metric-source', actions: ['assign', 'snooze'] });
    expect(actionBlocker([source], ['fixed-by'])).toBe('Not possible for: metric source');
    expect(actionBlocker([source, anInboxItem()], ['fixed-by'])).toBe(
      'Not possible for 1 item of 2: metric source',
    );
    expect(actionBlocker([source], ['snooze', 'unsnooze'])).toBeNull();
    expect(actionBlocker([], ['snooze'])).toBe('No item is selected.');
  });
});

it('tomorrowAtNine returns nine on the next calendar day, also at the end of a month', () => {
  expect(tomorrowAtNine(new Date(2026, 10, 30, 23, 59))).toEqual(new Date(2026, 11, 1, 9));
});
