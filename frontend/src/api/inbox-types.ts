/** Temporary: shapes of the inbox until the API has them. */
export type InboxKind = 'production-event' | 'regression' | 'bisect' | 'channel' | 'metric-source';
export type SettableState =
  | 'new'
  | 'investigating'
  | 'acknowledged'
  | 'fixed'
  | 'improved'
  | 'not-a-regression'
  | 'ignored'
  | 'closed';
export type InboxState =
  | SettableState
  | 'waiting-approval'
  | 'paused'
  | 'found'
  | 'not-in-range'
  | 'not-separable'
  | 'stopped'
  | 'cancelled'
  | 'failed'
  | 'failing'
  | 'disabled-after-failures';
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
  change: { ratio: number; low: number | null; high: number | null } | null;
  sparkline: { values: (number | null)[]; step_at: number | null; levels: number[] } | null;
  state: InboxState;
  assignee: { id: string; name: string | null } | null;
  due_on: string | null;
  snooze: { rule: 'time' | 'next-deployment' | 'next-occurrence'; until: string | null } | null;
  mute_reason: string | null;
  merged: number;
  merged_into_id: string | null;
  closed: { at: string; reason: string; sentence: string } | null;
  actions: InboxAction['type'][];
};
export type InboxItemRef = { kind: InboxKind; id: string };
export type InboxAction =
  | { type: 'assign'; assignee_id: string | null }
  | { type: 'set-state'; state: SettableState }
  | { type: 'set-due'; due_on: string | null }
  | { type: 'snooze'; rule: 'time' | 'next-deployment' | 'next-occurrence'; until?: string | null }
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
export type InboxActionIn = { items: InboxItemRef[]; action: InboxAction };
export type InboxActionOut = {
  results: (InboxItemRef & {
    item: InboxItem | null;
    problem: { title: string; detail: string } | null;
  })[];
  undo: InboxActionIn[];
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
export type InboxView = {
  id: string;
  name: string;
  filters: string;
  is_shared: boolean;
  is_own: boolean;
  created_at: string;
};

export type EventSuspect = {
  sha: string;
  title: string;
  author: string | null;
  committed_at: string | null;
  suspicion: number;
  reasons: string[];
  commit_id: string;
  repository_id: string;
};
export type EventSignal = {
  change_point_id: string;
  service: { id: string; slug: string };
  signal: string;
  role: 'culprit' | 'follower';
  before: number;
  after: number;
  ratio: number;
  low: number;
  high: number;
  at: string;
  sentence: string;
};
export type EventDeployment = {
  id: string;
  commit: string;
  label: string | null;
  build_id: string | null;
  started_at: string;
  ended_at: string | null;
  role: 'former' | 'cause' | 'later';
  verdict: string | null;
  verdict_sentence: string | null;
};
export type ProductionEvent = {
  item: InboxItem;
  signal: string;
  sentence: string;
  before: number;
  after: number;
  cause: 'deployment' | 'unexplained';
  proof: { id: string; sentence: string; state: 'holds' | 'fails' | 'unknown' }[];
  signals: EventSignal[];
  range: { begin: string; end: string; environment_id: string; service_ids: string[] };
  deployments: EventDeployment[];
  comparison: {
    id: string;
    state: string;
    verdict: string | null;
    headline: string | null;
    findings: { sentence: string; direction: string; is_significant: boolean }[];
  } | null;
  suspects: EventSuspect[];
  suspects_reason: string | null;
  requests_affected: number | null;
  announced_at: string | null;
  history: {
    at: string;
    type: string;
    sentence: string;
    user: { id: string; name: string | null } | null;
  }[];
};
