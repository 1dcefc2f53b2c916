/** The shapes of the wire. Optional is null on both sides, never sometimes absent. */
import type { ProblemFacts } from './client';

export type Page<T> = { items: T[]; next_cursor: string | null };

export type Role = 'viewer' | 'member' | 'admin' | 'owner';
export type User = { id: string; email: string; name: string };
export type TeamMembership = { id: string; slug: string; name: string; role: Role };
export type Session = { user: User; teams: TeamMembership[] };
export type Team = { id: string; slug: string; name: string; created_at: string };
export type Member = { user_id: string; name: string; email: string; role: Role; created_at: string };
export type Invitation = {
  id: string;
  email: string | null;
  role: Role;
  created_at: string;
  expires_at: string;
  created_by: string | null;
  /** The link, told once: in the answer to its creation. */
  secret?: string | null;
};
export type InvitationPreview = { team: { name: string; slug: string }; role: Role; email: string | null; expires_at: string };
export type Token = {
  id: string;
  name: string;
  prefix: string;
  scopes: string[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  created_by: string | null;
  secret?: string | null;
};
export type AuditEvent = {
  id: string;
  at: string;
  actor: string | null;
  action: string;
  subject: string | null;
  details: Record<string, unknown> | null;
};

export type Service = {
  id: string;
  name: string;
  slug: string;
  description: string | null;
  main_package: string | null;
  repository: string | null;
  created_at: string;
};
export type Environment = { id: string; name: string; created_at: string };
export type Build = {
  id: string;
  service_id: string;
  service: string | null;
  commit: string;
  branch: string | null;
  go_version: string | null;
  goos: string | null;
  goarch: string | null;
  flags: string | null;
  url: string | null;
  created_at: string;
};

export type Facts = {
  run?: string | null;
  requests?: number | null;
  wall_ns?: number | null;
  cpu_ns?: number | null;
  go_version?: string | null;
  goos?: string | null;
  goarch?: string | null;
  gomaxprocs?: number | null;
  cpu_model?: string | null;
  cpu_flags?: string | string[] | null;
  commit?: string | null;
  build_id?: string | null;
};
export type SampleType = { type: string; unit: string };
export type ProfileSummary = {
  kind: string;
  sample_types: SampleType[];
  default_sample_type: number;
  time_ns: number;
  duration_ns: number;
  period: number;
  samples: number;
  stacks: number;
  functions: number;
  cut_samples: number;
  warnings: string[];
};
export type ArtifactState = 'received' | 'decoding' | 'decoded' | 'refused' | 'failed';
export type Artifact = {
  id: string;
  name: string;
  size_bytes: number;
  sha256: string;
  kind: string | null;
  state: ArtifactState;
  error: ProblemFacts | null;
  profile: ProfileSummary | null;
  facts: Facts;
  batch: string | null;
  build_id: string | null;
  job_id: string | null;
  progress: number;
  step: string;
  created_at: string;
  created_by: string | null;
};
export type UploadPart = { number: number; size_bytes: number; sha256: string };
export type Upload = {
  id: string;
  name: string;
  size_bytes: number;
  part_size_bytes: number;
  parts: UploadPart[];
  artifact_id: string | null;
  expires_at: string;
};

export type JobState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
export type Job = {
  id: string;
  name: string;
  state: JobState;
  progress: number;
  step: string;
  subject: { kind: string; id: string };
  attempts: number;
  max_attempts: number;
  cancel_asked: boolean;
  problem: ProblemFacts | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  created_by: string | null;
};

export type Verdict = 'regressed' | 'improved' | 'unchanged' | 'inconclusive';
export type Basis = 'per_request' | 'per_second' | 'share' | 'count' | 'quantile';
export type Payer = { function: string; entry: string | null; path: string[]; difference: number };
export type Change = {
  ratio: number | null;
  difference: number;
  low: number | null;
  high: number | null;
  confidence: number;
  of: 'ratio' | 'difference';
};
export type Finding = {
  kind: string;
  subject: string;
  direction: 'worse' | 'better';
  base: number;
  candidate: number;
  unit: string;
  change: Change;
  basis: Basis;
  quantile: number | null;
  q_value: number | null;
  payers: Payer[];
  by: { subject: string; share: number }[];
  mechanism: string | null;
  advice: string | null;
  sentence: string;
};
export type Doubt = { id: string; sentence: string };
export type ResultSide = { artifacts: number | unknown[]; runs: number; facts: Record<string, unknown> | null };
export type ViewDescription = {
  id: string;
  kind: string;
  sample_type: string | number;
  type?: string | null;
  unit: string;
  granularity: Granularity;
  bases: string[];
  default_basis: string;
};
export type Granularity = 'package' | 'function' | 'line';
export type ComparisonResult = {
  format: string;
  verdict: Verdict;
  headline: Record<string, unknown> | null;
  findings: Finding[];
  doubts: Doubt[];
  moves: { sentence?: string; [key: string]: unknown }[];
  detectable: { kind: string; subject: string; ratio: number }[];
  sides: { base: ResultSide; candidate: ResultSide };
  kinds: Record<string, unknown> | null;
  views: Omit<ViewDescription, 'id'>[];
};
export type ComparisonState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
export type ComparisonSide = { label: string | null; artifact_ids: string[] };
export type Comparison = {
  id: string;
  name: string | null;
  state: ComparisonState;
  job: Job | null;
  base: ComparisonSide;
  candidate: ComparisonSide;
  verdict: Verdict | null;
  result: ComparisonResult | null;
  views: ViewDescription[];
  created_at: string;
};
export type ExportFormat = 'pprof-base' | 'pprof-candidate' | 'pprof-diff' | 'json' | 'csv';
export type Export = { id: string; format: ExportFormat; state: JobState; error: ProblemFacts | null };
