import { describe, expect, it } from 'vitest';
import type { Activity } from '../../../api';
import { dayText, daysOf, describeEvent, subjectOf, verbOf, actorText } from './activity-wording';

function news(changed: Partial<Activity>): Activity {
  return {
    id: '1',
    occurred_at: '2026-11-20T12:00:00',
    kind: 'artifact',
    action: 'artifact.received',
    actor: { kind: 'user', id: 'a', name: 'Ann' },
    subject_kind: 'artifact',
    subject_id: 'x',
    title: 'cpu.pprof',
    path: '/files/x',
    service_id: null,
    details: {},
    ...changed,
  };
}

describe('activity wording', () => {
  it('groups consecutive events of one kind and actor into one line per day', () => {
    const days = daysOf([
      news({}),
      news({}),
      news({ actor: { kind: 'user', id: 'b', name: 'Ben' } }),
      news({ occurred_at: '2026-11-19T23:00:00' }),
    ]);
    expect(days.map(({ lines }) => lines.map(({ count }) => count))).toEqual([[2, 1], [1]]);
    expect(days[0]?.lines.map(subjectOf)).toEqual(['2 artifacts', 'cpu.pprof']);
  });

  it('names days Today, Yesterday or by date', () => {
    const now = new Date('2026-11-20T09:00:00');
    expect(dayText('2026-11-20T23:00:00', now)).toBe('Today');
    expect(dayText('2026-11-19T01:00:00', now)).toBe('Yesterday');
    expect(dayText('2026-11-01T01:00:00', now)).toBe('Sunday, 1 November 2026');
  });

  it('names the actor and the action, also for Slowpath and former members', () => {
    expect(actorText(news({}))).toBe('Ann');
    expect(actorText(news({ actor: { kind: 'system', id: null, name: null } }))).toBe('Slowpath');
    expect(actorText(news({ actor: { kind: 'user', id: 'c', name: null } }))).toBe('former member');
    expect(
      verbOf(news({ action: 'regression.state', details: { to: 'not-a-regression' } })),
    ).toEqual(['put', 'to not a regression']);
    expect(verbOf(news({ action: 'something.new' }))).toEqual(['something new']);
    expect(describeEvent(news({ details: { text: 'hear' } }))).toBe('hear');
  });
});
