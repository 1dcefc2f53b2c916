/** The flame graph's view that was chosen; when it was not cut yet, it is asked for, and its way shown. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Comparison } from '../../api';
import type { FlameGraphHandle } from '../../charts';
import { ErrorState, SkeletonRows } from '../../ui';
import { FlameSection } from './FlameSection';
import classes from './Page.module.css';
import { askForView } from './queries';
import type { ComparisonView } from './url';
import { findView, type settle } from './view-choice';
import { kindLabel } from './wording';

type DiffProps = {
  comparison: Comparison;
  wanted: ReturnType<typeof settle>;
  view: ComparisonView;
  onView: (view: ComparisonView) => void;
  graph: React.RefObject<FlameGraphHandle | null>;
};

export function Diff({ comparison, wanted, view, onView, graph }: DiffProps) {
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
