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
export type InboxItemRef = { kind: InboxKind; id: string };
export type InboxAction =
  | { type: 'assign'; assignee_id: string | null }
  | { type: 'set-state'; state: string }
  | { type: 'set-due'; due_on: string | null }
  | { type: 'snooze'; rule: 'time' | 'next-deployment' | 'next-occurrence'; until: string | null }
  | { type: 'unsnooze' }
  | { type: 'mute'; reason: string }
  | { type: 'unmute' }
  | { type: 'merge'; into: InboxItemRef }
  | { type: 'unmerge' }
  | {
      type: 'fixed-by';
      commit: string | null;
      build_id: string | null;
      deployment_id: string | null;
    };
export type InboxActionsIn = { items: InboxItemRef[]; action: InboxAction };
export type InboxActionsOut = {
  results: (InboxItemRef & { item: InboxItem | null; problem: { title: string; detail: string } | null })[];
  undo: InboxActionsIn[];
};
export type InboxCounts = {
  needs_action: number;
  mine: number;
  production: number;
  regressions: number;
  snoozed: number;
  closed: number;
  unassigned: number;
};
export type InboxOut = {
  items: InboxItem[];
  counts: InboxCounts;
  headline: string;
  next_cursor: string | null;
};
export type InboxView = { id: string; name: string; filters: string; is_shared: boolean };
