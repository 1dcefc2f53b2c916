/**
 * The sections of a comparison other than profiles: tabs to choose a section, the chosen section,
 * and the place where each finding is shown.
 */
import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Finding } from '../../../api';
import { EMPTY_VIEW } from '../../../engine/flame/flame-view';
import { exactSearch } from '../../../engine/flame/name-pattern';
import { BenchmarksSection } from '../../evidence/benchmarks';
import { GrowthSection } from '../../evidence/growth_logs';
import { SpansSection, type SpansArrival } from '../../evidence/spans';
import {
  TraceSection,
  DEFAULT_TRACE_VIEW,
  type FindingTarget,
  type GoroutineWays,
} from '../../evidence/exec_traces';
import classes from './shared/Page.module.css';
import {
  PROFILES,
  artifactKindLabel,
  artifactKindOfFinding,
  type ArtifactKind,
} from './shared/artifact-kinds';
import type { ComparisonView } from './shared/comparison-url';

type PartProps = {
  part: ArtifactKind;
  comparisonId: string;
  view: ComparisonView;
  onView: (view: ComparisonView) => void;
  kinds: string[];
  findings: Finding[];
  goroutines: GoroutineWays;
  /** The place of the finding that was just chosen; null after `onArrived`. */
  arrival: FindingTarget | SpansArrival | null;
  onArrived: () => void;
  /** A link to the page of one distributed trace. */
  traceLink: (artifactId: string, traceId: string, words: string) => ReactNode;
};

/** An artifact kind on the page: its section and where its findings are shown. */
type KindSection = {
  Section: (props: PartProps) => ReactNode;
  /** Returns the changes of the view that show a finding in the section. */
  placeOf?: (finding: Finding, view: ComparisonView) => Partial<ComparisonView>;
  /** Returns the place of a finding in the section, to scroll to. */
  arrivalOf?: (finding: Finding) => FindingTarget | SpansArrival | null;
};

/** One entry for each kind of the API; sections are loaded when they are first shown. */
const SECTIONS: Record<ArtifactKind, KindSection> = {
  profiles: {
    Section: () => null,
    placeOf: (finding, view) => ({ kind: finding.profile_kind || view.kind }),
  },
  traces: {
    Section: ({ view, onView, kinds, findings, ...props }) => (
      <TraceSection
        comparisonId={props.comparisonId}
        view={view.trace}
        onView={(trace) => onView({ ...view, trace })}
        first={
          findings.find((finding) => finding.kind.startsWith('trace.') && isOfWaiter(finding))
            ?.subject ?? ''
        }
        flames={flamesOf(kinds, (kind, group) => {
          const flame = { ...EMPTY_VIEW, search: exactSearch(group) };
          onView({ ...view, part: PROFILES, kind, sampleType: '', flame });
        })}
        goroutines={kinds.includes('goroutine') ? undefined : props.goroutines}
        arrival={isOfSpans(props.arrival) ? null : props.arrival}
        onArrived={props.onArrived}
      />
    ),
    placeOf: (finding, view) => {
      if (!isOfWaiter(finding)) return {};
      const { sort, levels, quantile } = view.trace;
      return { trace: { ...DEFAULT_TRACE_VIEW, sort, levels, quantile, waiter: finding.subject } };
    },
    arrivalOf: ({ kind, subject }) => {
      if (kind === 'trace.waiting') return null;
      if (kind === 'trace.blocked') return { to: 'blocked' };
      return kind === 'trace.gc' ? { to: 'gc' } : { to: 'waiter', waiter: subject };
    },
  },
  spans: {
    Section: ({ comparisonId, view, onView, traceLink, arrival, onArrived }) => (
      <SpansSection
        comparisonId={comparisonId}
        view={view.spans}
        onView={(spans) => onView({ ...view, spans })}
        traceLink={traceLink}
        arrival={isOfSpans(arrival) ? arrival : null}
        onArrived={onArrived}
      />
    ),
    placeOf: (finding, view) => ({ spans: { ...view.spans, edge: finding.subject } }),
    arrivalOf: ({ kind, subject }) => {
      if (kind === 'spans.gap') return { to: 'gap', edge: subject };
      return kind === 'spans.amplification' ? { to: 'calls', edge: subject } : null;
    },
  },
  growth: {
    Section: ({ comparisonId, view, onView }) => (
      <GrowthSection
        comparisonId={comparisonId}
        view={view.growth}
        onView={(growth) => onView({ ...view, growth })}
      />
    ),
  },
  benchmarks: {
    Section: ({ comparisonId, view, onView }) => (
      <BenchmarksSection
        comparisonId={comparisonId}
        view={view.bench}
        onView={(bench) => onView({ ...view, bench })}
      />
    ),
  },
};

/** Shows the section of the chosen artifact kind; nothing for profiles. */
export function ArtifactKindSection(props: PartProps) {
  const { Section } = SECTIONS[props.part];
  return <Section {...props} />;
}

const isOfSpans = (arrival: FindingTarget | SpansArrival | null): arrival is SpansArrival =>
  arrival?.to === 'gap' || arrival?.to === 'calls';

type PartTabsProps = {
  parts: ArtifactKind[];
  part: ArtifactKind;
  onPart: (part: ArtifactKind) => void;
};

/** Tabs of the kinds of evidence; shown if a comparison has more than one. */
export function ArtifactKindTabs({ parts, part, onPart }: PartTabsProps) {
  if (parts.length < 2) return null;
  return (
    <div className={classes.kinds}>
      <Tabs
        value={part}
        onChange={(next) => {
          if (next !== null) onPart(next as ArtifactKind);
        }}
      >
        <Tabs.List aria-label="Kinds of evidence">
          {parts.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {artifactKindLabel(name)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
    </div>
  );
}

const NOT_OF_WAITERS = ['trace.gc', 'trace.waiting', 'trace.blocked'];

/**
 * Whether a finding of traces is about the scheduler latency of one group. Findings on GC, on all
 * waiting and on blocked time are not.
 */
const isOfWaiter = ({ kind }: Finding): boolean => !NOT_OF_WAITERS.includes(kind);

/**
 * Returns the changes of the view that show a finding: its artifact kind, and its waiter or profile
 * kind.
 */
export function placeOf(
  finding: Finding,
  parts: ArtifactKind[],
  view: ComparisonView,
): Partial<ComparisonView> {
  const part = artifactKindOfFinding(finding);
  // Metrics have no section: their findings are shown in the list only.
  if (!parts.includes(part) || finding.kind.startsWith('metrics.')) return {};
  return { part, ...SECTIONS[part].placeOf?.(finding, view) };
}

/** Returns the place of a finding in its section, or null if it has none. */
export const arrivalOf = (finding: Finding): FindingTarget | SpansArrival | null =>
  SECTIONS[artifactKindOfFinding(finding)].arrivalOf?.(finding) ?? null;

/**
 * Returns the flame graphs of traces: their CPU samples, and the stacks on which goroutines waited.
 */
function flamesOf(kinds: string[], open: (kind: string, group: string) => void) {
  const known = [
    { kind: 'trace-cpu', words: 'Flame graph of its CPU samples in the trace' },
    { kind: 'trace-delay', words: 'Flame graph of its waits' },
    { kind: 'goroutine', words: 'Goroutine profiles of the same builds' },
  ];
  return known
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, words }) => ({
      kind,
      words,
      open: (group: string) => open(kind, group),
    }));
}
