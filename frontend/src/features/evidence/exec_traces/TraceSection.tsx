/** The traces section of a comparison, while loading, after an error, or loaded. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorState, SkeletonRows } from '../../../ui';
import type { GoroutineWays } from './GoroutineProfiles';
import { TraceBody, type Flame } from './TraceBody';
import type { FindingTarget } from './scroll-to-finding';
import { tracesQuery } from './trace-queries';
import classes from './traces.module.css';
import type { TraceView } from './trace-url';

export type TraceSectionProps = {
  comparisonId: string;
  view: TraceView;
  onView: (view: TraceView) => void;
  flames: Flame[];
  /** The waiter of the first finding of traces; '' = none. */
  first: string;
  goroutines?: GoroutineWays;
  arrival: FindingTarget | null;
  onArrived: () => void;
};

export default function TraceSection({ comparisonId, ...body }: TraceSectionProps) {
  const traces = useQuery(tracesQuery(comparisonId));
  if (traces.error) {
    return (
      <div className={classes.inset}>
        <ErrorState
          what="Could not load the traces"
          error={traces.error}
          action={<Button onClick={() => void traces.refetch()}>Try again</Button>}
        />
      </div>
    );
  }
  if (!traces.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={16} label="Loading the traces" />
      </div>
    );
  }
  return <TraceBody data={traces.data} {...body} />;
}
