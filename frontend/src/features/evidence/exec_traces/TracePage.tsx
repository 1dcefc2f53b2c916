/** The page of one execution trace: the sections of a comparison with one side. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { makeConnectionLostError } from '../../../api';
import { formatShare, formatValue } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import { shortName } from '../../../engine/format/short-function-name';
import {
  ErrorState,
  HiddenInSnapshot,
  PageHeader,
  SkeletonRows,
  durationText,
  useTitle,
} from '../../../ui';
import { TraceBody } from './TraceBody';
import { largestOccupant } from './WaiterPanels';
import { traceQuery } from './trace-queries';
import classes from './traces.module.css';
import type { TraceDocument } from './trace-types';
import type { TraceView } from './trace-url';
import { selectedWaiter } from './waiter-rows';
import { reasonPhrase } from './trace-wording';

export type TracePageProps = {
  artifactId: string;
  /** A link back, on the line above the title. */
  above: ReactNode;
  /** A link to the choice of the other side. */
  compare: ReactNode;
  view: TraceView;
  onView: (view: TraceView) => void;
  /** Returns a link to the page of an artifact. */
  file: (artifactId: string, words: string) => ReactNode;
};

export default function TracePage(props: TracePageProps) {
  const { artifactId, above, compare, view, onView, file } = props;
  const trace = useQuery(traceQuery(artifactId));
  const name = trace.data?.sides.base.traces[0]?.name ?? '';
  useTitle(name === '' ? 'Trace' : name);
  const failed = makeConnectionLostError(trace);
  if (failed) {
    return (
      <>
        <PageHeader above={above} title="Could not load the trace" />
        <div className={classes.inset}>
          <ErrorState
            error={failed}
            action={<Button onClick={() => void trace.refetch()}>Try again</Button>}
          />
        </div>
      </>
    );
  }
  if (!trace.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={16} label="Loading the trace" />
      </div>
    );
  }
  const [recording] = trace.data.sides.base.traces;
  return (
    <>
      <PageHeader
        above={above}
        title={<Answer data={trace.data} />}
        sub={
          <>
            <span className="mono">{name}</span>
            {recording && ` · ${durationText(recording.duration_ns)}`}
          </>
        }
        actions={<HiddenInSnapshot>{compare}</HiddenInSnapshot>}
      />
      <TraceBody
        data={trace.data}
        view={view}
        onView={onView}
        flames={[]}
        goroutines={{ compare: null, opening: false, error: null, file }}
      />
    </>
  );
}

/** The headline: which group waits longest in total, and behind what. */
function Answer({ data }: { data: TraceDocument }) {
  const waiter = selectedWaiter(data, '');
  if (!waiter?.base) return <>No scheduler latency in this trace</>;
  const occupancy = data.occupancy.find((one) => one.waiter === waiter.waiter);
  const first = occupancy && largestOccupant(occupancy, 'base_share', waiter.verdict_base);
  const { p99_ns, max_ns } = waiter.base;
  return (
    <>
      <span className="mono">{visibleName(shortName(waiter.group))}</span> waits up to{' '}
      {p99_ns === null ? formatValue(max_ns, 'ns') : `${formatValue(p99_ns, 'ns')} at p99`} to run{' '}
      {reasonPhrase(waiter.reason)}
      {first && first.share >= 0.3 && (
        <>
          , {first.share >= 0.5 ? 'mostly' : `${formatShare(first.share)} of it`} {first.lead}{' '}
          <span className={first.code ? 'mono' : undefined}>{first.name}</span>
        </>
      )}
    </>
  );
}
