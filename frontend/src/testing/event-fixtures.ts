/** A production event with all its evidence; a test sets only the fields that it is about. */
import type { ProductionEvent } from '../api';
import { anInboxItem } from './inbox-fixtures';

const SERVICE = { id: '00000000-0000-4000-8000-0000000000f1', slug: 'distributor' };
const CAUSE = 'a84f3c1'.padEnd(40, '0');

export function aProductionEvent(changed: Partial<ProductionEvent> = {}): ProductionEvent {
  return {
    item: anInboxItem({ id: 'event-31', number: 31 }),
    kind: 'latency',
    signal: 'p99',
    gauge: null,
    sentence: 'distributor p99 takes longer since deployment a84f3c1: 79 ms, was 44 ms.',
    before: 0.044,
    after: 0.079,
    cause: 'deployment',
    budgets: [],
    proof: [
      { id: 'start', sentence: 'Starts 40 s after deployment a84f3c1', state: 'holds' },
      { id: 'load', sentence: 'The load did not change', state: 'holds' },
      { id: 'end', sentence: 'Ends with a rollback', state: 'unknown' },
    ],
    signals: [
      {
        change_point_id: 'c1',
        service: SERVICE,
        signal: 'p99',
        gauge: null,
        role: 'culprit',
        before: 0.044,
        after: 0.079,
        ratio: 1.8,
        low: 1.68,
        high: 1.93,
        at: '2026-11-18T16:00:00Z',
        sentence: 'p99 44 ms became 79 ms',
      },
      {
        change_point_id: 'c2',
        service: { id: '00000000-0000-4000-8000-0000000000f3', slug: 'gateway' },
        signal: 'p99',
        gauge: null,
        role: 'follower',
        before: 0.09,
        after: 0.126,
        ratio: 1.4,
        low: 1.3,
        high: 1.5,
        at: '2026-11-18T16:00:00Z',
        sentence: 'p99 90 ms became 126 ms',
      },
    ],
    range: {
      from: '2026-11-18T15:00:00Z',
      to: '2026-11-18T17:00:00Z',
      environment_id: '00000000-0000-4000-8000-0000000000f2',
      service_ids: [SERVICE.id],
    },
    deployments: [
      {
        id: 'd1',
        commit: CAUSE,
        label: null,
        build_id: null,
        started_at: '2026-11-18T15:59:20Z',
        ended_at: null,
        role: 'cause',
        verdict: 'slower',
        verdict_sentence: 'p99 79 ms, was 44 ms',
      },
    ],
    comparison: null,
    suspects: [
      {
        sha: '7c0e9d2'.padEnd(40, '0'),
        title: 'wire: copy label strings so that buffers can be reused',
        author: 'Jonas Thiel',
        committed_at: '2026-11-18T14:00:00Z',
        suspicion: 0.82,
        reasons: ['changes wire/label.go, in 2 findings'],
        commit_id: 'k1',
        repository_id: 'r1',
      },
      {
        sha: '19be440'.padEnd(40, '0'),
        title: 'distributor: log the tenant of rejected writes',
        author: null,
        committed_at: null,
        suspicion: 0.18,
        reasons: [],
        commit_id: 'k2',
        repository_id: 'r1',
      },
    ],
    suspects_reason: null,
    requests_affected: 510_000,
    announced_at: '2026-11-18T16:02:00Z',
    history: [
      {
        at: '2026-11-18T16:09:00Z',
        type: 'assignee',
        sentence: 'Assigned to Jonas Thiel',
        user: { id: 'u1', name: 'Ada Obi' },
      },
      { at: '2026-11-18T16:02:00Z', type: 'opened', sentence: 'Opened', user: null },
    ],
    ...changed,
  };
}
