/** Temporary: shapes of the inbox until the API has them. */
export type InboxKind = 'production-event' | 'regression' | 'bisect' | 'channel' | 'metric-source';
export type InboxItem = {
  kind: InboxKind;
  id: string;
  number: number | null;
  group: 'production' | 'regressions' | 'bisects-and-sources';
  severity: 'high' | 'medium' | 'low';
  added_seconds_per_second: number | null;
  title: string;
  detail: string;
  service: { id: string; slug: string } | null;
  environment: { id: string; name: string } | null;
  since_at: string | null;
  since_commit: string | null;
  change: { ratio: number; low: number; high: number } | null;
  sparkline: { values: (number | null)[]; step_at: number | null; levels: number[] } | null;
  state: string;
  assignee: { id: string; name: string | null } | null;
  due_on: string | null;
  snooze: { rule: 'time' | 'next-deployment' | 'next-occurrence'; until: string | null } | null;
  mute_reason: string | null;
  merged: number;
  closed: { at: string; reason: string; sentence: string } | null;
  actions: string[];
};
