/**
 * Shapes of the wire under the words that pages use. Generated ones keep their content; only what the API describes as
 * "any JSON" (the result of a comparison, `slowpath.comparison/1`) is written down here, as its format says.
 */
import type { ComparisonOut, ViewOut } from './generated/types.gen';

export type {
  ActivityOut as Activity,
  AnnotationOut as Annotation,
  ArtifactOut as Artifact,
  BisectIn as BisectWords,
  BisectOffer,
  BisectOut as Bisect,
  BisectRow,
  BisectSettingsChange,
  BisectSettingsIn as BisectSettings,
  CandidateOut as BisectCandidate,
  LevelOut as BisectLevel,
  ProbeOut as Probe,
  RunnerOut as Runner,
  AuditEventOut as AuditEvent,
  BrowserOut as Browser,
  BuildOut as Build,
  ChannelAdded,
  CommentOut as SaidComment,
  ChannelChange,
  ChannelInWritable as ChannelWords,
  ChannelOut as Channel,
  ComparisonBrief,
  DeployOut as Deploy,
  EnvironmentOut as Environment,
  ExportFormat,
  ExportOut as Export,
  DeliveryOut as HookDelivery,
  FactsIn as Facts,
  Granularity,
  HookChangeWritable as HookChange,
  HookInWritable as HookWords,
  HookMade,
  HookOut as Hook,
  InvitationOut as Invitation,
  InvitationPreview,
  JobOut as Job,
  LineOut as Line,
  MemberOut as Member,
  MentionOut as Mention,
  MessageOut as ChannelMessage,
  News,
  MetricRuleIn as MetricRuleWords,
  MetricRuleOut as MetricRule,
  MetricSourceChangeWritable as MetricSourceChange,
  MetricSourceInWritable as MetricSourceWords,
  MetricSourceOut as MetricSource,
  ClosedTeamOut as ClosedTeam,
  RetentionOut as Retention,
  RetentionPreview,
  RetentionRuleOut as RetentionRule,
  TeamExportOut as TeamExport,
  UsageDayOut as UsageDay,
  UsageOut as Usage,
  RepositoryChangeWritable as RepositoryChange,
  RepositoryInWritable as RepositoryWords,
  BlockIn,
  ProseBlockOut,
  ViewBlockOut,
  ReportOut as Report,
  ScrubbedOut as Scrubbed,
  ShareLinkIn as ShareLinkWords,
  ShareLinkMade,
  ShareLinkOut as ShareLink,
  RepositoryOut as Repository,
  CommitsBetween,
  CommitPage as OneCommit,
  CommitDiffOut as CommitDiff,
  FileDiffOut as FileDiff,
  SuspectOut as Suspect,
  ProfileSummary,
  ReadThroughIn as ReadThroughWords,
  ReadThroughOut as ReadThrough,
  EventOut as RegressionEvent,
  JudgementOut as Judgement,
  RecognisedOut as Recognised,
  RegressionChange,
  RegressionOut as Regression,
  RegressionWhole,
  SeriesOut as BuildSeries,
  SeriesPage as BuildSeriesPage,
  Role,
  SearchOut as FoundTotals,
  ServiceAccountOut as ServiceAccount,
  ServiceOut as Service,
  ServiceRole,
  SignInOut as LinkedSignIn,
  SessionOut as Session,
  SubjectKind,
  SourceChecked,
  TeamOfUser as TeamMembership,
  TeamOut as Team,
  TokenOut as Token,
  TokenScope,
  UploadOut as Upload,
  ViewOut as ViewDescription,
} from './generated/types.gen';

export type Page<T> = { items: T[]; next_cursor: string | null };

export type Verdict = 'regressed' | 'improved' | 'mixed' | 'unchanged' | 'inconclusive';
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
  payers: Payer[];
  by: { subject: string; share: number }[];
  mechanism: string | null;
  advice: string | null;
  sentence: string;
};
export type Doubt = { id: string; sentence: string };
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
export type Move = {
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
  doubts: Doubt[];
  moves: Move[];
  detectable: { kind: string; subject: string; ratio: number | null }[];
  sides: { base: ResultSide; candidate: ResultSide };
  kinds: KindResult[];
};

export type Comparison = Omit<ComparisonOut, 'result' | 'views'> & {
  result: ComparisonResult | null;
  views: ViewOut[];
};

/** Trusts a result that names its format; one of another format is not read as if it were this one. */
export function readComparison(told: ComparisonOut): Comparison {
  const { result } = told;
  if (result !== null && result.format !== 'slowpath.comparison/1') {
    throw new Error(
      `This comparison was stored in the format ${String(result.format)}, which this page can not read.`,
    );
  }
  return { ...told, result: result as ComparisonResult | null };
}
