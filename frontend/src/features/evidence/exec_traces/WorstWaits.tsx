/** The longest waits: one with its timeline, P occupancy and stacks, and a list of the others. */
import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { formatCount, formatShare, formatValue } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import { OccupantPatterns, describeOccupant, isNamed } from '../../../engine/timeline/p-occupancy';
import { shortName } from '../../../engine/format/short-function-name';
import { DataTable, EmptyState, SideMark, countOf, type Column } from '../../../ui';
import { ExcerptButton } from './ExcerptButton';
import { paintsOf } from './WaiterPanels';
import { WaitTimeline } from './WaitTimeline';
import classes from './traces.module.css';
import type { TraceDocument, TraceMetadata, LongestWait } from './trace-types';
import type { TraceView } from './trace-url';
import { selectedWait, waitKey, waitsListed } from './waiter-rows';
import { behindText, waiterParts, verdictText } from './trace-wording';

type WorstProps = {
  data: TraceDocument;
  waiter: string;
  view: TraceView;
  onView: (changed: Partial<TraceView>) => void;
};

const traceOf = (data: TraceDocument, wait: LongestWait): TraceMetadata | undefined =>
  [...data.sides.base.traces, ...(data.sides.candidate?.traces ?? [])].find(
    ({ artifact }) => artifact === wait.artifact,
  );

export function WorstWaits({ data, waiter, view, onView }: WorstProps) {
  const ordered = useMemo(() => waitsListed(data.worst, waiter), [data.worst, waiter]);
  const wait = selectedWait(data, view.wait, waiter);
  if (!wait) {
    return (
      <section className={classes.section} aria-label="Longest waits">
        <h2 className={classes.head}>Longest waits</h2>
        <EmptyState help="traces">No wait was long enough to record a timeline.</EmptyState>
      </section>
    );
  }
  const choose = (next: LongestWait) => onView({ wait: waitKey(next), window: { from: 0, to: 1 } });
  return (
    <section className={`${classes.pair} ${classes.wide}`} aria-label="Longest waits">
      <div>
        <SelectedWait
          data={data}
          wait={wait}
          waiter={waiter}
          ordered={ordered}
          choose={choose}
          view={view}
          onView={onView}
        />
      </div>
      <div>
        <h2 className={classes.head}>
          Longest waits{' '}
          <span className="muted">
            {countOf(ordered.length, 'wait')}, of the group above first, longest first
          </span>
        </h2>
        <WaitsTable data={data} waits={ordered} chosen={wait} choose={choose} />
      </div>
    </section>
  );
}

type SelectedWaitProps = {
  data: TraceDocument;
  wait: LongestWait;
  waiter: string;
  ordered: LongestWait[];
  choose: (wait: LongestWait) => void;
  view: TraceView;
  onView: (changed: Partial<TraceView>) => void;
};

function SelectedWait({ data, wait, waiter, ordered, choose, view, onView }: SelectedWaitProps) {
  const single = data.sides.candidate === null;
  const place = ordered.indexOf(wait);
  const trace = traceOf(data, wait);
  const { group, reason } = waiterParts(wait.waiter);
  const paints = useMemo(() => {
    const occupancy = data.occupancy.find((one) => one.waiter === wait.waiter);
    if (occupancy && occupancy.parts.length > 0) return paintsOf(occupancy);
    return new OccupantPatterns(
      wait.occupancy.map((part) => ({ ...part, weight: part.ns, isNew: false })),
    );
  }, [data.occupancy, wait]);
  const step = (by: number) => {
    const next = ordered[place + by];
    if (next) choose(next);
  };
  return (
    <>
      <h2 className={classes.head}>
        {!single && <SideMark side={wait.side} />}
        <span>
          <span className="mono">{visibleName(shortName(group))}</span> waits{' '}
          {formatValue(wait.duration_ns, 'ns')}
        </span>
        <span className="muted">
          {reason !== '' && `${reason} · `}
          {trace ? `${trace.name}, ` : ''}at {(wait.start_ns / 1e9).toFixed(3)} s · {place + 1} of{' '}
          {ordered.length}
        </span>
        <span className="grow" />
        <span className={classes.verbs}>
          <Button variant="subtle" size="compact-xs" disabled={place <= 0} onClick={() => step(-1)}>
            Longer
          </Button>
          <Button
            variant="subtle"
            size="compact-xs"
            disabled={place >= ordered.length - 1}
            onClick={() => step(1)}
          >
            Shorter
          </Button>
          <ExcerptButton
            key={waitKey(wait)}
            wait={wait}
            durationNs={trace?.duration_ns ?? 0}
            headerVersion={trace?.header_version ?? null}
          />
        </span>
      </h2>
      {view.wait === '' && wait.waiter !== waiter && (
        <p className={classes.note}>
          None of the longest recorded waits belongs to the selected group. Showing the longest wait
          of all groups.
        </p>
      )}
      <WaitTimeline
        key={waitKey(wait)}
        wait={wait}
        paints={paints}
        window={view.window}
        onWindow={(window) => onView({ window })}
      />
      <Ahead wait={wait} />
    </>
  );
}

const STACK_MOST = 12;

/** The P occupancy during one wait, and the stacks where it was blocked and woken. */
function Ahead({ wait }: { wait: LongestWait }) {
  const behind = wait.occupancy.toSorted((a, b) => b.ns - a.ns).slice(0, 8);
  return (
    <div className={classes.stacks}>
      <div>
        <h3>P occupancy during the wait</h3>
        {behind.length === 0 && <p className="muted">not recorded</p>}
        <table className={classes.small} aria-label="P occupancy during this wait">
          <thead className="unseen">
            <tr>
              <th scope="col">Occupied by</th>
              <th scope="col">Of the wait</th>
              <th scope="col">Share</th>
            </tr>
          </thead>
          <tbody>
            {behind.map((part) => (
              <tr key={`${part.kind} ${part.class} ${part.group}`}>
                <th scope="row" title={describeOccupant(part)}>
                  <span className={isNamed(part) ? 'mono' : undefined}>
                    {visibleName(shortName(describeOccupant(part)))}
                  </span>
                </th>
                <td>{formatValue(part.ns, 'ns')}</td>
                <td>{formatShare(part.ns / Math.max(1, wait.duration_ns))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Stack title="blocked at" frames={wait.block_stack} none="no stack was recorded" />
      <Stack
        title={
          wait.waker === null
            ? 'woken by the runtime'
            : `woken by goroutine ${formatCount(wait.waker_goroutine)} at`
        }
        frames={wait.waker_stack}
        none="the runtime records no stack"
      />
    </div>
  );
}

function Stack({ title, frames, none }: { title: string; frames: string[]; none: string }) {
  return (
    <div>
      <h3>{title}</h3>
      {frames.length === 0 ? (
        <p className="muted">{none}</p>
      ) : (
        <ol>
          {frames.slice(0, STACK_MOST).map((frame, at) => (
            <li key={at} title={frame}>
              {visibleName(shortName(frame))}
            </li>
          ))}
          {frames.length > STACK_MOST && (
            <li className="muted">{countOf(frames.length - STACK_MOST, 'more frame')}</li>
          )}
        </ol>
      )}
    </div>
  );
}

type ListProps = {
  data: TraceDocument;
  waits: LongestWait[];
  chosen: LongestWait;
  choose: (wait: LongestWait) => void;
};

function WaitsTable({ data, waits, chosen, choose }: ListProps) {
  const single = data.sides.candidate === null;
  const columns = useMemo((): Column<LongestWait>[] => {
    const behind = (wait: LongestWait) => {
      const first = behindText(wait);
      if (!first) return <span className="muted">–</span>;
      return (
        <span title={`${first.name}; ${verdictText(wait.verdict)}`}>
          <span className="muted">{formatShare(first.share)}</span>{' '}
          <span className="mono">{visibleName(shortName(first.name))}</span>
        </span>
      );
    };
    return [
      {
        id: 'wait',
        head: 'Wait',
        width: 104,
        cell: (wait) => (
          <span style={{ display: 'inline-flex', gap: 8 }}>
            {!single && <SideMark side={wait.side} />}
            {!single && <span className="unseen">{wait.side}</span>}
            {formatValue(wait.duration_ns, 'ns')}
          </span>
        ),
      },
      {
        id: 'who',
        head: 'Goroutine group',
        mono: true,
        cell: (wait) => {
          const { group, reason } = waiterParts(wait.waiter);
          return (
            <span title={wait.waiter}>
              {visibleName(shortName(group))} <span className="muted">{reason}</span>
            </span>
          );
        },
      },
      { id: 'behind', head: 'Occupant', cell: behind },
      {
        id: 'at',
        head: 'At',
        width: 70,
        align: 'right',
        cell: (wait) => `${(wait.start_ns / 1e9).toFixed(2)} s`,
      },
    ];
  }, [single]);
  return (
    <div className={classes.waits}>
      <DataTable
        label="Longest waits"
        columns={columns}
        rowCount={waits.length}
        rowAt={(index) => waits[index]!}
        rowKey={waitKey}
        rowHeight={26}
        onRowClick={choose}
        selectedKey={waitKey(chosen)}
        minWidth={440}
      />
    </div>
  );
}
