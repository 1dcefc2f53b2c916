/**
 * The left cell of a row: service, build, its start, number of instances, calls to the services
 * below, and the handle to move it.
 */
import { formatRatio } from '../../../engine/format/format';
import type { ReactNode } from 'react';
import type { Dashboard, DashboardRow } from '../../../engine/dashboard/dashboard-file';
import { sinceText } from '../../../engine/dashboard/dashboard-time';
import { countOf } from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import classes from './dashboard.module.css';
import type { ServiceOrder } from './use-service-order';

type CellProps = {
  board: Dashboard;
  row: DashboardRow;
  at: number;
  below: DashboardRow['service'][];
  order: ServiceOrder | null;
  actions: ReactNode;
};

export function ServiceCell({ board, row, at, below, order, actions }: CellProps) {
  const { service, build, instances } = row;
  return (
    <div className={classes.service}>
      <div className={classes.serviceName}>
        <h2 className="cut" title={service.name}>
          {service.name}
        </h2>
        {order && <Handle id={service.id} name={service.name} at={at} order={order} />}
      </div>
      {!row.loaded && <p>loads when scrolled into view</p>}
      <p hidden={!row.loaded}>
        {build ? (
          <>
            <span className="mono">{shortCommit(build.commit) || build.label}</span>
            {build.since_ms !== null && `, since ${sinceText(build.since_ms, board.nowMs)}`}
          </>
        ) : (
          'build unknown'
        )}
      </p>
      {instances !== null && <p>{countOf(instances, 'instance')}</p>}
      {row.source && (
        <p title="Samples are not stored. The dashboard queries the metric source.">
          {row.source.problem ? 'live query failed: ' : 'queried live '}
          {row.source.name}
          {row.source.step_ms !== null && `, every ${row.source.step_ms / 1000} s`}
        </p>
      )}
      {actions}
      <Amplification board={board} id={service.id} below={below} />
    </div>
  );
}

const SHOWN = 2;

/** Outgoing calls per request, shown on the border to the row below. */
function Amplification({
  board,
  id,
  below,
}: {
  board: Dashboard;
  id: string;
  below: DashboardRow['service'][];
}) {
  const calls = below.flatMap(({ id: callee, name }) => {
    const edge = board.edges.find((each) => each.caller === id && each.callee === callee);
    return edge ? [{ name, ratio: edge.ratio }] : [];
  });
  if (calls.length === 0) return null;
  const texts = calls.map(({ name, ratio }) => `${formatRatio(ratio)} to ${name}`);
  return (
    <p className={classes.amplification} title={`Calls per request: ${texts.join(', ')}`}>
      <svg width="9" height="16" aria-hidden="true">
        <path d="M4.5 0v13M1.5 10l3 4 3-4" fill="none" stroke="var(--control)" strokeWidth="1.2" />
      </svg>
      {calls.slice(0, SHOWN).map(({ name, ratio }) => (
        <span key={name}>
          <b>{formatRatio(ratio)}</b> to {name}
        </span>
      ))}
      {calls.length > SHOWN && <span>and {calls.length - SHOWN} more</span>}
    </p>
  );
}

function Handle({
  id,
  name,
  at,
  order,
}: {
  id: string;
  name: string;
  at: number;
  order: ServiceOrder;
}) {
  return (
    <button
      type="button"
      className={classes.handle}
      aria-label={`Move ${name}, row ${at + 1}: arrow up and down, or drag`}
      title="Drag, or arrow up and down"
      onKeyDown={(event) => {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        order.move(id, by);
        // The row moves in the document, so its handle needs the focus again.
        const handle = event.currentTarget;
        requestAnimationFrame(() => handle.focus());
      }}
      onPointerDown={(event) => {
        if (event.button === 0) drag(event.currentTarget, id, order);
      }}
    >
      <svg width="10" height="14" aria-hidden="true">
        <path d="M2 2h2M6 2h2M2 7h2M6 7h2M2 12h2M6 12h2" stroke="currentColor" strokeWidth="2" />
      </svg>
    </button>
  );
}

/** Moves the row while it is dragged; saves the order when the pointer is released. */
function drag(handle: HTMLElement, id: string, order: ServiceOrder): void {
  const rows = handle.closest('ol');
  if (!rows) return;
  // The order of the other rows does not change: the position is the number of them above the
  // pointer.
  let dropped: number | null = null;
  const move = (event: PointerEvent) => {
    const others = [...rows.children].filter(
      (each) => each instanceof HTMLElement && each.dataset.row !== id,
    );
    const at = others.filter((each) => {
      const { top, height } = each.getBoundingClientRect();
      return top + height / 2 < event.clientY;
    }).length;
    if (at === dropped) return;
    dropped = at;
    order.place(id, at);
  };
  const end = () => {
    window.removeEventListener('pointermove', move);
    window.removeEventListener('pointerup', end);
    window.removeEventListener('pointercancel', end);
    if (dropped !== null) order.drop(id, dropped);
  };
  window.addEventListener('pointermove', move);
  window.addEventListener('pointerup', end);
  window.addEventListener('pointercancel', end);
}
