/** One comparison: the verdict, what changed, why it may mislead, and the diff; or how far it is, or why it failed. */
import { Button, Progress, Tabs } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { calls, type Comparison, type Finding } from '../../api';
import type { FlameGraphHandle } from '../../charts';
import { ErrorState, PageHead, SkeletonRows, countOf, useTitle } from '../../ui';
import type { SpansArrival } from '../spans';
import { isTraceStep, type Arrival } from '../traces';
import { usePollWhile } from '../work';
import { Doubts } from './Doubts';
import { ExportMenu } from './ExportMenu';
import { Findings, type Talk } from './Findings';
import { FlameSection } from './FlameSection';
import { useGoroutines, type Elsewhere } from './goroutines';
import { ComparisonHead } from './Head';
import classes from './Page.module.css';
import { PartSection, PartTabs, arrivalOf, placeOf } from './PartSections';
import { partOfFinding, partShown, partsOf } from './parts';
import { askForView, comparisonQuery, isUnderWay, retryComparison, swapSides } from './queries';
import { isFlameStep } from './steps';
import type { ComparisonView } from './url';
import { findView, kindsOf, settle } from './view-choice';
import { kindLabel, pathTo } from './wording';

type PageProps = {
  id: string;
  view: ComparisonView;
  /** `replace` for what is not a step of its own (a drag, a keystroke): Back should not walk through it. */
  onView: (view: ComparisonView, replace: boolean) => void;
  onSwapped: (id: string) => void;
  mayWrite: boolean;
  elsewhere: Elsewhere;
  talk?: Talk;
  /** What else can be done with a finding, and the view in which it stands unfolded in its place. */
  findingAction?: (finding: Finding, view: ComparisonView) => ReactNode;
  /** Another step from here, from a storey above: *Start bisect*. */
  action?: ReactNode;
};

export function ComparisonPage({ id, ...rest }: PageProps) {
  const { mayWrite } = rest;
  const pollWhile = usePollWhile();
  const comparison = useQuery({
    ...comparisonQuery(id),
    refetchInterval: (query) => {
      const data = query.state.data;
      return pollWhile(data !== undefined && (isUnderWay(data) || data.views.some(isUnderWay)));
    },
  });
  useTitle(comparison.data?.name ?? 'Comparison');
  if (comparison.error) {
    return (
      <>
        <PageHead title="This comparison can not be shown" />
        <div className={classes.inset}>
          <ErrorState
            error={comparison.error}
            action={<Button onClick={() => void comparison.refetch()}>Try again</Button>}
          />
        </div>
      </>
    );
  }
  if (!comparison.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={14} label="Reading the comparison" />
      </div>
    );
  }
  const { data } = comparison;
  if (isUnderWay(data)) return <Running comparison={data} mayWrite={mayWrite} />;
  if (data.state !== 'done' || !data.result)
    return <Failed comparison={data} mayWrite={mayWrite} />;
  return <Done comparison={data} {...rest} />;
}

function Running({ comparison, mayWrite }: { comparison: Comparison; mayWrite: boolean }) {
  const client = useQueryClient();
  const { job, base, candidate } = comparison;
  const cancel = useMutation({
    mutationFn: (job_id: string) => calls.jobsCancel({ path: { job_id } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['comparison', 'one', comparison.id] }),
  });
  const percent = Math.round((job?.progress ?? 0) * 100);
  const step = job?.state === 'running' ? job.step || 'started' : 'waiting for a worker';
  return (
    <>
      <ComparisonHead
        comparison={comparison}
        title={[
          {
            text: `Comparing ${countOf(candidate.artifacts, 'candidate file')} with ${countOf(base.artifacts, 'base file')}`,
          },
        ]}
        sub={<span aria-live="polite">{step}</span>}
        actions={
          mayWrite && job ? (
            <Button
              loading={cancel.isPending || job.cancel_asked}
              onClick={() => {
                cancel.mutate(job.id);
              }}
            >
              Cancel
            </Button>
          ) : undefined
        }
      />
      <div className={classes.progress}>
        <Progress value={percent} aria-label={`${percent} %`} />
        {cancel.error && <ErrorState compact error={cancel.error} />}
      </div>
      <div className={classes.inset}>
        <SkeletonRows rows={7} label="Findings will stand here" />
      </div>
    </>
  );
}

function Failed({ comparison, mayWrite }: { comparison: Comparison; mayWrite: boolean }) {
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => retryComparison(comparison.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['comparison'] }),
  });
  const cancelled = comparison.state === 'cancelled';
  const told = comparison.problem ?? comparison.job?.problem;
  const error =
    again.error ??
    (told
      ? Object.assign(new Error(told.detail), { facts: told })
      : new Error('No reason was kept.'));
  const button = mayWrite ? (
    <Button
      variant="filled"
      loading={again.isPending}
      onClick={() => {
        again.mutate();
      }}
    >
      Compare again
    </Button>
  ) : undefined;
  return (
    <>
      <ComparisonHead
        comparison={comparison}
        title={[{ text: cancelled ? 'This comparison was cancelled' : 'This comparison failed' }]}
        actions={button}
      />
      {!cancelled && (
        <div className={classes.inset}>
          <ErrorState error={error} />
        </div>
      )}
    </>
  );
}

/** Ways to change the view that are steps of their own, worth an entry in the browser's history. */
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
  const [arrival, setArrival] = useState<Arrival | SpansArrival | null>(null);
  const goroutines = useGoroutines(mayWrite, elsewhere);
  const change = useCallback(
    (next: ComparisonView) => {
      onView(next, !isStep(view, next));
    },
    [onView, view],
  );
  const { result, views } = comparison;
  if (!result) return null;
  const wanted = settle(views, {
    kind: view.kind,
    sampleType: view.sampleType,
    granularity: view.flame.granularity,
  });
  const kinds = kindsOf(views);
  const parts = partsOf(comparison);
  const part = partShown(parts, view.part, result.findings);
  // Windows of metrics alone are told by the list; there is nothing to draw.
  const ofWindows = comparison.parts.length === 0 && comparison.base.window !== null;

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
    setArrival(parts.includes(partOfFinding(finding)) ? arrivalOf(finding) : null);
    const payer = finding.payers[0];
    if (finding.kind === 'profile.function') show(finding, [finding.subject]);
    else if (payer) show(finding, pathTo(payer));
  };

  return (
    <>
      <ComparisonHead
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
      <Doubts result={result} />
      <PartTabs
        parts={parts}
        part={part}
        onPart={(next) => {
          change({ ...view, part: next });
        }}
      />
      <PartSection
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
      {part === 'profiles' && kinds.length > 1 && (
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
      {part === 'profiles' && !ofWindows && (
        <Diff
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

type DiffProps = {
  comparison: Comparison;
  wanted: ReturnType<typeof settle>;
  view: ComparisonView;
  onView: (view: ComparisonView) => void;
  graph: React.RefObject<FlameGraphHandle | null>;
};

/** The view that was chosen; when it was not cut yet, it is asked for, and its way shown. */
function Diff({ comparison, wanted, view, onView, graph }: DiffProps) {
  const client = useQueryClient();
  const found = findView(comparison.views, wanted);
  const ask = useMutation({
    mutationFn: () =>
      askForView(comparison.id, {
        kind: wanted.kind,
        sample_type: wanted.sampleType,
        granularity: wanted.granularity,
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ['comparison', 'one', comparison.id] }),
  });
  const missing = wanted.kind !== '' && (found === null || found.state === 'uncut');
  const { mutate, isIdle } = ask;
  useEffect(() => {
    if (missing && isIdle) mutate();
  }, [missing, isIdle, mutate]);

  if (found?.state === 'done') {
    return (
      <FlameSection
        key={found.id}
        comparison={comparison}
        description={found}
        view={view}
        onView={onView}
        graph={graph}
      />
    );
  }
  const failed =
    ask.error ??
    (found?.problem
      ? Object.assign(new Error(found.problem.detail), { facts: found.problem })
      : null);
  const back = (
    <button
      type="button"
      className="link"
      onClick={() => {
        onView({ ...view, flame: { ...view.flame, granularity: 'function' } });
      }}
    >
      Back to functions
    </button>
  );
  return (
    <div className={classes.inset}>
      {failed ? (
        <ErrorState what="This view could not be laid out" error={failed} action={back} />
      ) : wanted.kind === '' ? (
        <ErrorState
          error={new Error('No kind of profile stands on both sides, so there is nothing to draw.')}
        />
      ) : (
        <>
          <p className="muted" aria-live="polite">
            Laying out {kindLabel(wanted.kind)} by {wanted.granularity}. {back}
          </p>
          <SkeletonRows rows={14} height={18} />
        </>
      )}
    </div>
  );
}
