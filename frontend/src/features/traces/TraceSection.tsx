/** The traces' part of a comparison: read, on its way, failed, or told. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorState, SkeletonRows } from '../../ui';
import type { GoroutineWays } from './GoroutineProfiles';
import { TraceBody, type Flame } from './TraceBody';
import type { Arrival } from './arrival';
import { tracesQuery } from './queries';
import classes from './traces.module.css';
import type { TraceView } from './url';

export type TraceSectionProps = {
  comparisonId: string;
  view: TraceView;
  onView: (view: TraceView) => void;
  flames: Flame[];
  /** The victim of the first finding, if one is of traces. */
  first: string;
  goroutines?: GoroutineWays;
  arrival: Arrival | null;
  onArrived: () => void;
};

export default function TraceSection({ comparisonId, ...body }: TraceSectionProps) {
  const traces = useQuery(tracesQuery(comparisonId));
  if (traces.error) {
    return (
      <div className={classes.inset}>
        <ErrorState
          what="The traces could not be read"
          error={traces.error}
          action={<Button onClick={() => void traces.refetch()}>Try again</Button>}
        />
      </div>
    );
  }
  if (!traces.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={16} label="Reading the traces" />
      </div>
    );
  }
  return <TraceBody told={traces.data} {...body} />;
}
