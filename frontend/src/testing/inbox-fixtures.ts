/** Complete, plausible items of the inbox; a test sets only the fields that it is about. */
import type { InboxItem } from '../api';

let numbered = 0;

export function anInboxItem(changed: Partial<InboxItem> = {}): InboxItem {
  numbered += 1;
  return {
    kind: 'production-event',
    id: `00000000-0000-4000-8000-${String(numbered).padStart(12, '0')}`,
    number: numbered,
    group: 'production',
    severity: 'high',
    added_seconds_per_second: 1.1,
    title: 'distributor p99 takes longer: 79 ms, was 44 ms',
    detail: 'change point, also in gateway',
    service: { id: '00000000-0000-4000-8000-0000000000f1', slug: 'distributor' },
    environment: { id: '00000000-0000-4000-8000-0000000000f2', name: 'production' },
    since_at: '2026-11-18T16:00:00Z',
    since_commit: 'a84f3c1'.padEnd(40, '0'),
    change: { ratio: 1.8, low: 1.68, high: 1.93 },
    sparkline: { values: [44, 45, null, 79, 80], step_at: 3, levels: [44, 79] },
    state: 'new',
    assignee: null,
    due_on: null,
    snooze: null,
    mute_reason: null,
    merged: 0,
    merged_into_id: null,
    closed: null,
    is_unread: false,
    actions: ['assign', 'set-state', 'set-due', 'snooze', 'mute', 'merge', 'fixed-by'],
    ...changed,
  };
}
