/** The parts of a comparison besides profiles: tabs between them, each part in its place, and where a finding is shown. */
import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Finding } from '../../../api';
import { EMPTY_VIEW } from '../../../engine/flame/flame-view';
import { BenchmarksSection } from '../../evidence/benchmarks';
import { GrowthSection } from '../../evidence/growth_logs';
import { SpansSection, type SpansArrival } from '../../evidence/spans';
import {
  TraceSection,
  DEFAULT_TRACE_VIEW,
  type FindingTarget,
  type GoroutineWays,
} from '../../evidence/exec_traces';
import { exactly } from './FlameSection';
import classes from './Page.module.css';
import { ARTIFACT_KIND_LABELS, artifactKindOfFinding, type ArtifactKind } from './artifact-kinds';
import type { ComparisonView } from './comparison-url';

type PartProps = {
  part: ArtifactKind;
  comparisonId: string;
  view: ComparisonView;
  onView: (view: ComparisonView) => void;
  kinds: string[];
  findings: Finding[];
  goroutines: GoroutineWays;
  /** Where the finding leads that was just chosen; until `onArrived`. */
  arrival: FindingTarget | SpansArrival | null;
  onArrived: () => void;
  /** A link to the page of one distributed trace. */
  traceLink: (artifactId: string, traceId: string, words: string) => ReactNode;
};

/** The chosen part, when it is not the profiles. */
export function ArtifactKindSection(props: PartProps) {
  const { part, comparisonId, view, onView, kinds, findings } = props;
  switch (part) {
    case 'profiles':
      return null;
    case 'traces':
      return (
        <TraceSection
          comparisonId={comparisonId}
          view={view.trace}
          onView={(trace) => {
            onView({ ...view, trace });
          }}
          first={
            findings.find((finding) => finding.kind.startsWith('trace.') && isOfWaiter(finding))
              ?.subject ?? ''
          }
          flames={flamesOf(kinds, (kind, group) => {
            const flame = { ...EMPTY_VIEW, search: exactly(group) };
            onView({ ...view, part: 'profiles', kind, sampleType: '', flame });
          })}
          goroutines={kinds.includes('goroutine') ? undefined : props.goroutines}
          arrival={isOfSpans(props.arrival) ? null : props.arrival}
          onArrived={props.onArrived}
        />
      );
    case 'spans':
      return (
        <SpansSection
          comparisonId={comparisonId}
          view={view.spans}
          onView={(spans) => {
            onView({ ...view, spans });
          }}
          traceLink={props.traceLink}
          arrival={isOfSpans(props.arrival) ? props.arrival : null}
          onArrived={props.onArrived}
        />
      );
    case 'growth':
      return (
        <GrowthSection
          comparisonId={comparisonId}
          view={view.growth}
          onView={(growth) => {
            onView({ ...view, growth });
          }}
        />
      );
    case 'benchmarks':
      return (
        <BenchmarksSection
          comparisonId={comparisonId}
          view={view.bench}
          onView={(bench) => {
            onView({ ...view, bench });
          }}
        />
      );
  }
}

const isOfSpans = (arrival: FindingTarget | SpansArrival | null): arrival is SpansArrival =>
  arrival?.to === 'gap' || arrival?.to === 'calls';

type PartTabsProps = {
  parts: ArtifactKind[];
  part: ArtifactKind;
  onPart: (part: ArtifactKind) => void;
};

/** Kinds of evidence, where a comparison has several. */
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
              {ARTIFACT_KIND_LABELS[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
    </div>
  );
}

/** Whether a finding of traces is about one group of goroutines: those on GC and on all waiting are not. */
const isOfWaiter = ({ kind }: Finding): boolean => kind !== 'trace.gc' && kind !== 'trace.waiting';

/** Where a finding is shown: its part, and in it its victim or its kind of profile. */
export function placeOf(
  finding: Finding,
  parts: ArtifactKind[],
  view: ComparisonView,
): Partial<ComparisonView> {
  const part = artifactKindOfFinding(finding);
  // Metrics have no separate section: their place is the list.
  if (!parts.includes(part) || finding.kind.startsWith('metrics.')) return {};
  if (part === 'profiles') return { part, kind: finding.profile_kind || view.kind };
  if (part === 'spans') return { part, spans: { ...view.spans, edge: finding.subject } };
  if (part !== 'traces' || !isOfWaiter(finding)) return { part };
  const { sort, levels, quantile } = view.trace;
  return {
    part,
    trace: { ...DEFAULT_TRACE_VIEW, sort, levels, quantile, victim: finding.subject },
  };
}

/** Where in the part of traces or of spans a finding leads. */
export function arrivalOf({ kind, subject }: Finding): FindingTarget | SpansArrival | null {
  if (kind === 'spans.gap') return { to: 'gap', edge: subject };
  if (kind === 'spans.amplification') return { to: 'calls', edge: subject };
  if (!kind.startsWith('trace.') || kind === 'trace.waiting') return null;
  return kind === 'trace.gc' ? { to: 'gc' } : { to: 'victim', victim: subject };
}

/** Flame graphs that traces bring along: their CPU samples, and the stacks on which goroutines waited. */
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
      open: (group: string) => {
        open(kind, group);
      },
    }));
}
