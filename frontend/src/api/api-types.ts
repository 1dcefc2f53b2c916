/**
 * Shapes of the wire under the words that pages use. Generated ones keep their content; only what the API describes as
 * "any JSON" (the result of a comparison, `slowpath.comparison/1`) is written down here, as its format says.
 */
import type { ComparisonOut, DiffViewOut } from './generated/types.gen';

export type {
  ActivityOut as Activity,
  AnnotationOut as Annotation,
  ArtifactOut as Artifact,
  BisectIn as BisectWords,
  BisectProposalOut,
  BisectOut as Bisect,
  BisectListItemOut,
  BisectSettingsUpdate,
  BisectSettingsIn as BisectSettings,
  CandidateOut as BisectCandidate,
  LevelOut as BisectLevel,
  ProbeOut as Probe,
  RunnerOut as Runner,
  AuditEventOut as AuditEvent,
  BrowserSessionOut as Browser,
  BuildOut as Build,
  ChannelCreatedOut,
  CommentOut as SaidComment,
  ChannelUpdate,
  ChannelInWritable as ChannelWords,
  ChannelOut as Channel,
  ComparisonSummaryOut,
  DeploymentOut as Deploy,
  EnvironmentOut as Environment,
  ExportFormat,
  ExportOut as Export,
  WebhookDeliveryOut as HookDelivery,
  RunMetadataIn as Facts,
  Granularity,
  WebhookInWritable as HookWords,
  WebhookCreatedOut,
  WebhookOut as Hook,
  InvitationOut as Invitation,
  InvitationPreview,
  JobOut as Job,
  SourceLineOut as Line,
  MemberOut as Member,
  MentionOut as Mention,
  NotificationOut as ChannelMessage,
  ActivityKind,
  MetricRuleIn as MetricRuleWords,
  MetricRuleOut as MetricRule,
  MetricSourceUpdateWritable as MetricSourceChange,
  MetricSourceInWritable as MetricSourceWords,
  MetricSourceOut as MetricSource,
  DeletedTeamOut as ClosedTeam,
  RetentionOut as Retention,
  RetentionPreviewOut,
  RetentionRuleOut as RetentionRule,
  UsageDayOut as UsageDay,
  UsageOut as Usage,
  RepositoryUpdateWritable as RepositoryChange,
  RepositoryInWritable as RepositoryWords,
  BlockIn,
  TextBlockOut,
  SnapshotBlockOut,
  ReportOut as Report,
  ScrubSummaryOut as Scrubbed,
  ShareLinkIn as ShareLinkWords,
  ShareLinkCreatedOut,
  ShareLinkOut as ShareLink,
  RepositoryOut as Repository,
  CommitRangeOut,
  CommitDetailOut as OneCommit,
  CommitDiffOut as CommitDiff,
  FileDiffOut as FileDiff,
  SuspectCommitOut as Suspect,
  ProfileSummary,
  FederatedServiceIn as ReadThroughWords,
  FederatedServiceOut as ReadThrough,
  RegressionEventOut as RegressionEvent,
  BuildVerdictOut as Judgement,
  MetricNameOut as Recognised,
  RegressionUpdate,
  RegressionOut as Regression,
  RegressionDetailOut,
  SeriesOut as BuildSeries,
  SeriesPage as BuildSeriesPage,
  Role,
  FrameSearchOut as FoundTotals,
  ServiceAccountOut as ServiceAccount,
  ServiceOut as Service,
  ServiceAccountRole,
  LinkedIdentityOut as LinkedSignIn,
  CurrentSessionOut as Session,
  SubjectKind,
  SourceCheckOut,
  UserTeamOut as TeamMembership,
  TeamOut as Team,
  TokenOut as Token,
  TokenScope,
  MultipartUploadOut as Upload,
  DiffViewOut as ViewDescription,
} from './generated/types.gen';

export type Page<T> = { items: T[]; next_cursor: string | null };

export type Verdict = 'regressed' | 'improved' | 'mixed' | 'unchanged' | 'inconclusive';
export type AttributedCaller = {
  function: string;
  entry: string | null;
  path: string[];
  difference: number;
};
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
  basis: 'per_request' | 'per_second' | 'mean' | 'share' | 'count' | 'quantile';
  quantile: number | null;
  /** The part of the difference that no other finding explains; null if that is all of it. */
  exclusive?: number | null;
  /** Kind of profile it was found in. */
  profile?: string;
  /** False for what is merely likely. */
  certain?: boolean;
  more_profiles?: number | null;
  q_value: number | null;
  payers: AttributedCaller[];
  by: { subject: string; share: number }[];
  mechanism: string | null;
  advice: string | null;
  sentence: string;
};
export type Caveat = { id: string; sentence: string };
export type ResultSide = {
  artifacts: string[];
  runs: number;
  facts: Record<string, unknown> | null;
};
export type KindTotals = { unit: string; base: number; candidate: number };
export type KindResult = {
  kind: string;
  verdict: Verdict;
  sample_type: { type: string; unit: string };
  default_basis: string;
  totals: Record<string, KindTotals>;
};
export type CostShift = {
  profile: string;
  from_function: string;
  to_function: string;
  under: string;
  amount: number;
  unit: string;
  sentence: string;
};
export type HeadlineTotal = {
  base: number;
  candidate: number;
  unit: string;
  ratio: number | null;
  low: number | null;
  high: number | null;
  of: 'ratio' | 'difference';
  confidence: number;
};
export type ComparisonResult = {
  format: 'slowpath.comparison/1';
  verdict: Verdict;
  headline: {
    sentence: string;
    detail?: string;
    /** The change of the total; null where only shares are known. */
    overall?: HeadlineTotal | null;
    /** The minimum detectable change of the total, as a sentence; null where the total changed. */
    detectable?: string | null;
  } | null;
  findings: Finding[];
  doubts: Caveat[];
  moves: CostShift[];
  detectable: { kind: string; subject: string; ratio: number | null }[];
  sides: { base: ResultSide; candidate: ResultSide };
  kinds: KindResult[];
};

export type Comparison = Omit<ComparisonOut, 'result' | 'views'> & {
  result: ComparisonResult | null;
  views: DiffViewOut[];
};

/** Trusts a result that names its format; one of another format is not read as if it were this one. */
export function readComparison(told: ComparisonOut): Comparison {
  const { result } = told;
  if (result !== null && result.format !== 'slowpath.comparison/1') {
    throw new Error(
      `This page cannot read the stored comparison format ${String(result.format)}. Reload the page.`,
    );
  }
  return { ...told, result: result as ComparisonResult | null };
}
