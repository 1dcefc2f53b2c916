/**
 * The chosen view of the flame graph. If it was not built yet, requests it and shows its progress.
 */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import type { Comparison, ViewDescription } from '../../../../api';
import type { FlameGraphHandle } from '../../../../charts';
import { ErrorState, SkeletonRows } from '../../../../ui';
import { FlameSection } from './FlameSection';
import type { FindingZoom } from '../shared/finding-zoom';
import classes from '../shared/Page.module.css';
import { isReadable, requestView } from '../shared/comparison-queries';
import type { ComparisonView } from '../shared/comparison-url';
import { findView, type selectView } from '../shared/selected-view';
import { kindLabel } from '../shared/comparison-wording';

type DiffViewProps = {
  comparison: Comparison;
  wanted: ReturnType<typeof selectView>;
  view: ComparisonView;
  onView: (view: ComparisonView, replace?: boolean) => void;
  graph: React.RefObject<FlameGraphHandle | null>;
  zoom?: FindingZoom | null;
  /** The explanation that is shown beside the graph. */
  beside?: ReactNode;
};

export function DiffView({ comparison, wanted, view, onView, graph, ...props }: DiffViewProps) {
  const { zoom = null, beside = null } = props;
  const client = useQueryClient();
  const found = findView(comparison.views, wanted);
  const ask = useMutation({
    mutationFn: () =>
      requestView(comparison.id, {
        kind: wanted.kind,
        sample_type: wanted.sampleType,
        granularity: wanted.granularity,
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ['comparison', 'one', comparison.id] }),
  });
  const missing = wanted.kind !== '' && (found === null || found.state === 'not-built');
  const { mutate, isIdle } = ask;
  useEffect(() => {
    if (missing && isIdle) mutate();
  }, [missing, isIdle, mutate]);

  if (found && isReadable(found)) {
    return (
      <FlameSection
        key={found.id}
        comparison={comparison}
        description={found}
        view={view}
        onView={onView}
        graph={graph}
        zoom={zoom}
        beside={beside}
      />
    );
  }
  const failed = ask.error ?? (ask.isPending ? null : failureOf(found));
  // The view of functions is always built first, so it is the only one to go back to.
  const back = wanted.granularity !== 'function' && (
    <button
      type="button"
      className="link"
      onClick={() => onView({ ...view, flame: { ...view.flame, granularity: 'function' } })}
    >
      Back to functions
    </button>
  );
  return (
    <div className={classes.inset}>
      {failed ? (
        <ErrorState
          what="Could not build this view"
          error={failed}
          action={
            <>
              <Button onClick={() => mutate()}>Try again</Button> {back}
            </>
          }
        />
      ) : wanted.kind === '' ? (
        <ErrorState error={new Error('No profile kind is present on both sides.')} />
      ) : (
        <>
          <p className="muted" aria-live="polite">
            Building the view {kindLabel(wanted.kind)} by {wanted.granularity}. {back}
          </p>
          <SkeletonRows rows={14} height={18} />
        </>
      )}
    </div>
  );
}

/** Returns why a view was not built; null while it may still be built. */
function failureOf(view: ViewDescription | null): Error | null {
  if (view?.state !== 'failed' && view?.state !== 'cancelled') return null;
  const { state, problem } = view;
  if (problem) return Object.assign(new Error(problem.detail), { facts: problem });
  return new Error(state === 'cancelled' ? 'It was cancelled.' : 'No error message recorded.');
}
