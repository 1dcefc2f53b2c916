/** The result of a comparison: what changed, why it may mislead, and its evidence. */
import { useMutation } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import type { Comparison, ComparisonResult, Finding } from '../../../api';
import type { FlameGraphHandle } from '../../../charts';
import { ErrorState } from '../../../ui';
import { isTraceStep, type FindingTarget } from '../../evidence/exec_traces';
import type { SpansArrival } from '../../evidence/spans';
import { ArtifactKindSection, ArtifactKindTabs, arrivalOf, placeOf } from './ArtifactKindSections';
import { CausePanel } from './findings/CausePanel';
import { Caveats } from './Caveats';
import { CompilerAbsence } from './compiler/CompilerAbsence';
import { CompilerPanel } from './compiler/CompilerPanel';
import { ComparisonHeader } from './ComparisonHeader';
import { ComparisonMenu } from './ComparisonMenu';
import { useComparisonExport } from './comparison-export';
import { Findings, type FindingDiscussion } from './findings/Findings';
import classes from './shared/Page.module.css';
import { ProfilesSection } from './ProfilesSection';
import { StackSizes } from './compiler/StackSizes';
import {
  PROFILES,
  artifactKindOfFinding,
  artifactKindsOf,
  shownArtifactKind,
} from './shared/artifact-kinds';
import { swapSides } from './shared/comparison-queries';
import type { ComparisonView } from './shared/comparison-url';
import { shownFinding, zoomOfFinding } from './shared/finding-zoom';
import { useGoroutines, type ComparisonLinks } from './shared/goroutine-comparison';
import { isFlameStep } from './shared/history-steps';
import { SuspectContext } from './suspect-context';
import { kindsOf, selectView, type RequestedView } from './shared/selected-view';

/** The elements that other features add to a comparison. */
type ComparisonExtensions = {
  /** A link to the page that changes the sides. */
  changeSides?: ReactNode;
  /** Other actions on the comparison, and entries of its menu. */
  action?: ReactNode;
  menuItems?: ReactNode;
  discussion?: FindingDiscussion;
  /** A line below the header: the most suspicious commit. */
  suspect?: ReactNode;
  /** Other actions on a finding; `view` is the view that shows its details. */
  findingAction?: (finding: Finding, view: ComparisonView) => ReactNode;
};

export type ComparisonContext = {
  view: ComparisonView;
  /**
   * `replace` is for changes that are not separate history steps (a drag, a keystroke), so that
   * Back skips them.
   */
  onView: (view: ComparisonView, replace: boolean) => void;
  onGone: () => void;
  mayWrite: boolean;
  links: ComparisonLinks;
  extensions: ComparisonExtensions;
};

/** Whether a change of the view is a separate step in the browser's history. */
function isStep(before: ComparisonView, after: ComparisonView): boolean {
  return (
    before.finding !== after.finding ||
    before.whole !== after.whole ||
    before.part !== after.part ||
    before.spans.edge !== after.spans.edge ||
    isTraceStep(before.trace, after.trace) ||
    before.kind !== after.kind ||
    before.sampleType !== after.sampleType ||
    before.lines !== after.lines ||
    before.assembly !== after.assembly ||
    before.calls !== after.calls ||
    isFlameStep(before.flame, after.flame)
  );
}

type CompletedProps = ComparisonContext & { comparison: Comparison; result: ComparisonResult };

export function CompletedComparison(props: CompletedProps) {
  const { comparison, result, view, onView, mayWrite, links, extensions } = props;
  const graph = useRef<FlameGraphHandle>(null);
  const goroutines = useGoroutines(mayWrite, links);
  const change = useCallback(
    (next: ComparisonView, replace = false) => onView(next, replace || !isStep(view, next)),
    [onView, view],
  );
  const parts = artifactKindsOf(comparison);
  const part = shownArtifactKind(parts, view.part, result.findings);
  const { arrival, onArrived, choose, show } = useFindingChoice(result, parts, view, change, graph);
  const kinds = kindsOf(comparison.views);
  const wanted = selectView(comparison.views, {
    kind: view.kind,
    sampleType: view.sampleType,
    granularity: view.flame.granularity,
  });
  const shown = shownFinding(result.findings, view.finding);
  const zoom = useMemo(
    () => zoomOfFinding(result.findings, view.finding, wanted),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `wanted` is a new object each time: its parts decide
    [result.findings, view.finding, wanted.kind, wanted.granularity],
  );
  const panel = shown && (
    <CausePanel
      comparisonId={comparison.id}
      finding={shown.finding}
      number={shown.index + 1}
      compiler={
        result.compiler ? (
          <CompilerPanel
            comparisonId={comparison.id}
            section={result.compiler}
            finding={shown.index}
            onAssembly={(lines) => change({ ...view, part: PROFILES, lines, assembly: true })}
          />
        ) : (
          <CompilerAbsence comparisonId={comparison.id} mayWrite={mayWrite} />
        )
      }
    />
  );
  return (
    <SuspectContext value={extensions.suspect}>
      <ResultHeader {...props} graph={graph} wanted={wanted} />
      {extensions.suspect}
      <Findings
        result={result}
        chosen={shown?.index ?? null}
        unfolded={view.unfolded}
        onChoose={choose}
        onUnfold={(finding, unfolded) => change({ ...view, finding, unfolded })}
        onShow={show}
        discussion={extensions.discussion}
        action={(finding, index) =>
          extensions.findingAction?.(finding, {
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
        onPart={(next) => change({ ...view, part: next })}
      />
      <ArtifactKindSection
        part={part}
        comparisonId={comparison.id}
        view={view}
        onView={change}
        kinds={kinds}
        findings={result.findings}
        goroutines={goroutines}
        traceLink={links.distributedTrace}
        arrival={arrival}
        onArrived={onArrived}
      />
      {part === PROFILES && (
        <ProfilesSection
          comparison={comparison}
          kinds={kinds}
          wanted={wanted}
          view={view}
          onView={change}
          graph={graph}
          zoom={zoom}
          beside={panel}
        />
      )}
      {part !== PROFILES && panel}
      {part === PROFILES && <StackSizes section={result.compiler} />}
    </SuspectContext>
  );
}

/**
 * Returns the place of the chosen finding, and the callbacks that choose a finding and show it in
 * the flame graph.
 */
function useFindingChoice(
  result: ComparisonResult,
  parts: ReturnType<typeof artifactKindsOf>,
  view: ComparisonView,
  change: (next: ComparisonView) => void,
  graph: RefObject<FlameGraphHandle | null>,
) {
  const [arrival, setArrival] = useState<FindingTarget | SpansArrival | null>(null);
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
      whole: false,
      unfolded: view.unfolded && view.finding === index,
      flame: { ...view.flame, zoom: '', span: null },
      ...placeOf(finding, parts, view),
    });
    setArrival(parts.includes(artifactKindOfFinding(finding)) ? arrivalOf(finding) : null);
  };
  const onArrived = () => setArrival(null);
  return { arrival, onArrived, choose, show };
}

type HeaderProps = CompletedProps & {
  graph: RefObject<FlameGraphHandle | null>;
  wanted: RequestedView;
};

/** The verdict, and the actions on the comparison. */
function ResultHeader(props: HeaderProps) {
  const { comparison, mayWrite, onGone, links, extensions, graph, wanted } = props;
  const swap = useMutation({
    mutationFn: () => swapSides(comparison.id),
    onSuccess: ({ id }) => links.onOpen(id),
  });
  const exporting = useComparisonExport({
    comparisonId: comparison.id,
    kind: wanted.kind,
    name: comparison.name,
    graph: () => graph.current,
  });
  return (
    <>
      <ComparisonHeader
        comparison={comparison}
        onSwap={mayWrite ? () => swap.mutate() : undefined}
        swapping={swap.isPending}
        actions={
          <>
            {extensions.changeSides}
            {extensions.action}
            <ComparisonMenu
              comparison={comparison}
              onGone={onGone}
              mayWrite={mayWrite}
              items={
                <>
                  {extensions.menuItems}
                  {exporting.items}
                </>
              }
              outcome={exporting.outcome}
              busy={exporting.busy}
            />
          </>
        }
      />
      {swap.error && (
        <div className={classes.inset}>
          <ErrorState error={swap.error} />
        </div>
      )}
    </>
  );
}
