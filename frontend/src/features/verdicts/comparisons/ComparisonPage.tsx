/** One comparison: the verdict, what changed, why it may mislead, and the diff; or how far it is, or why it failed. */
import { Button, Tabs } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState, type ReactNode } from 'react';
import { makeConnectionLostError, type Comparison, type Finding } from '../../../api';
import type { FlameGraphHandle } from '../../../charts';
import { ErrorState, PageHeader, SkeletonRows, useTitle } from '../../../ui';
import type { SpansArrival } from '../../evidence/spans';
import { isTraceStep, type FindingTarget } from '../../evidence/exec_traces';
import { usePollWhile } from '../../platform/jobs';
import { DiffView } from './DiffView';
import { Caveats } from './Caveats';
import { ExportMenu } from './ExportMenu';
import { Findings, type FindingDiscussion } from './Findings';
import { useGoroutines, type GoroutineLinks } from './goroutine-comparison';
import { ComparisonHeader } from './ComparisonHeader';
import { ComparisonMenu } from './ComparisonMenu';
import { FailedComparison, RunningComparison } from './ComparisonProgress';
import classes from './Page.module.css';
import { ArtifactKindSection, ArtifactKindTabs, arrivalOf, placeOf } from './ArtifactKindSections';
import {
  PROFILES,
  artifactKindOfFinding,
  artifactKindsOf,
  shownArtifactKind,
} from './artifact-kinds';
import { comparisonQuery, isUnderWay, swapSides } from './comparison-queries';
import { isFlameStep } from './history-steps';
import type { ComparisonView } from './comparison-url';
import { kindsOf, selectView } from './selected-view';
import { kindLabel, pathTo } from './comparison-wording';

type PageProps = {
  id: string;
  view: ComparisonView;
  /** `replace` for what is not a separate history step (a drag, a keystroke): Back should not walk through it. */
  onView: (view: ComparisonView, replace: boolean) => void;
  onSwapped: (id: string) => void;
  onGone: () => void;
  mayWrite: boolean;
  elsewhere: GoroutineLinks;
  talk?: FindingDiscussion;
  /** What else can be done with a finding, and the view in which it is unfolded. */
  findingAction?: (finding: Finding, view: ComparisonView) => ReactNode;
  /** Another step from here, from a storey above: *Start bisect*. */
  action?: ReactNode;
};

export function ComparisonPage({ id, ...rest }: PageProps) {
  const { mayWrite, onGone } = rest;
  const pollWhile = usePollWhile();
  const comparison = useQuery({
    ...comparisonQuery(id),
    refetchInterval: (query) => {
      const data = query.state.data;
      return pollWhile(data !== undefined && (isUnderWay(data) || data.views.some(isUnderWay)));
    },
  });
  useTitle(comparison.data?.name ?? 'Comparison');
  const failed = makeConnectionLostError(comparison);
  if (failed) {
    return (
      <>
        <PageHeader title="Could not load the comparison" />
        <div className={classes.inset}>
          <ErrorState
            error={failed}
            action={<Button onClick={() => void comparison.refetch()}>Try again</Button>}
          />
        </div>
      </>
    );
  }
  if (!comparison.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={14} label="Loading the comparison" />
      </div>
    );
  }
  const { data } = comparison;
  const early = { comparison: data, mayWrite, onGone };
  if (isUnderWay(data)) return <RunningComparison {...early} />;
  if (data.state !== 'done' || !data.result) return <FailedComparison {...early} />;
  return <Done comparison={data} {...rest} />;
}

/** Changes of the view that are separate steps in the browser's history. */
function isStep(before: ComparisonView, after: ComparisonView): boolean {
  return (
    before.finding !== after.finding ||
    before.part !== after.part ||
    before.spans.edge !== after.spans.edge ||
    isTraceStep(before.trace, after.trace) ||
    before.kind !== after.kind ||
    before.sampleType !== after.sampleType ||
    before.lines !== after.lines ||
    isFlameStep(before.flame, after.flame)
  );
}

function Done({
  comparison,
  view,
  onView,
  onSwapped,
  onGone,
  mayWrite,
  elsewhere,
  talk,
  findingAction,
  action,
}: Omit<PageProps, 'id'> & { comparison: Comparison }) {
  const graph = useRef<FlameGraphHandle>(null);
  const swap = useMutation({
    mutationFn: () => swapSides(comparison.id),
    onSuccess: (made) => {
      onSwapped(made.id);
    },
  });
  const [arrival, setArrival] = useState<FindingTarget | SpansArrival | null>(null);
  const goroutines = useGoroutines(mayWrite, elsewhere);
  const change = useCallback(
    (next: ComparisonView) => {
      onView(next, !isStep(view, next));
    },
    [onView, view],
  );
  const { result, views } = comparison;
  if (!result) return null;
  const wanted = selectView(views, {
    kind: view.kind,
    sampleType: view.sampleType,
    granularity: view.flame.granularity,
  });
  const kinds = kindsOf(views);
  const parts = artifactKindsOf(comparison);
  const part = shownArtifactKind(parts, view.part, result.findings);
  // Comparisons of metrics alone are described by the list; there is nothing to draw.
  const ofWindows = comparison.artifact_kinds.length === 0 && comparison.base.time_range !== null;

  const show = (finding: Finding, path: string[]) => {
    const handle = graph.current;
    if (!handle) return;
    void handle
      .zoomToPath(path)
      .then((found) => found || handle.zoomToFunction(path[path.length - 1] ?? finding.subject));
  };
  const choose = (index: number) => {
    const finding = result.findings[index];
    if (!finding) return;
    change({
      ...view,
      finding: index,
      unfolded: view.unfolded && view.finding === index,
      ...placeOf(finding, parts, view),
    });
    setArrival(parts.includes(artifactKindOfFinding(finding)) ? arrivalOf(finding) : null);
    const caller = finding.attributed_callers[0];
    if (finding.kind === 'profile.function') show(finding, [finding.subject]);
    else if (caller) show(finding, pathTo(caller));
  };

  return (
    <>
      <ComparisonHeader
        comparison={comparison}
        onSwap={
          mayWrite
            ? () => {
                swap.mutate();
              }
            : undefined
        }
        swapping={swap.isPending}
        actions={
          <>
            <ExportMenu
              comparisonId={comparison.id}
              kind={wanted.kind}
              name={comparison.name}
              graph={() => graph.current}
            />
            {action}
            {mayWrite && <ComparisonMenu comparison={comparison} onGone={onGone} />}
          </>
        }
      />
      {swap.error && (
        <div className={classes.inset}>
          <ErrorState error={swap.error} />
        </div>
      )}
      <Findings
        result={result}
        chosen={view.finding}
        unfolded={view.unfolded}
        onChoose={choose}
        onUnfold={(finding, unfolded) => {
          change({ ...view, finding, unfolded });
        }}
        onShow={show}
        talk={talk}
        action={(finding, index) =>
          findingAction?.(finding, {
            ...view,
            finding: index,
            unfolded: true,
            ...placeOf(finding, parts, view),
          })
        }
      />
      <Caveats result={result} />
      <ArtifactKindTabs
        parts={parts}
        part={part}
        onPart={(next) => {
          change({ ...view, part: next });
        }}
      />
      <ArtifactKindSection
        part={part}
        comparisonId={comparison.id}
        view={view}
        onView={change}
        kinds={kinds}
        findings={result.findings}
        goroutines={goroutines}
        traceLink={elsewhere.distributedTrace}
        arrival={arrival}
        onArrived={() => {
          setArrival(null);
        }}
      />
      {part === PROFILES && kinds.length > 1 && (
        <div className={classes.kinds}>
          <Tabs
            value={wanted.kind}
            onChange={(kind) => {
              change({
                ...view,
                kind: kind ?? '',
                sampleType: '',
                flame: { ...view.flame, basis: '', zoom: '', span: null },
              });
            }}
          >
            <Tabs.List aria-label="Kinds of profile">
              {kinds.map((kind) => (
                <Tabs.Tab key={kind} value={kind}>
                  {kindLabel(kind)}
                </Tabs.Tab>
              ))}
            </Tabs.List>
          </Tabs>
        </div>
      )}
      {part === PROFILES && !ofWindows && (
        <DiffView
          key={`${wanted.kind} ${wanted.sampleType} ${wanted.granularity}`}
          comparison={comparison}
          wanted={wanted}
          view={view}
          onView={change}
          graph={graph}
        />
      )}
    </>
  );
}
