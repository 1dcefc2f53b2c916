/** Where goroutines block on locks, channel sends and system calls, how long, and what ends it. */
import { useMemo, useState, type Ref } from 'react';
import { EffectAxis, EffectInterval } from '../../../charts';
import { visibleName } from '../../../engine/flame/frame-label';
import type { Change } from '../../../engine/format/change-class';
import { formatCount, formatShare, formatValue } from '../../../engine/format/format';
import { ratioAxis, type RatioAxis } from '../../../engine/format/ratio-axis';
import { foldersOf, shortName } from '../../../engine/format/short-function-name';
import { DataTable, countOf, type Column } from '../../../ui';
import { BothSides, dash } from './BothSides';
import type { BlockedRow, TraceDocument } from './trace-types';
import classes from './traces.module.css';

const SHOWN_FIRST = 8;
const INTERVAL_WIDTH = 150;
const REASONS: Record<BlockedRow['reason'], string> = {
  sync: 'lock',
  'chan send': 'channel send',
  'syscall exit': 'system call',
};
const CHANGES: Record<Change, string> = {
  more: 'blocked longer',
  less: 'blocked less',
  'only-candidate': 'only in candidate',
  'only-base': 'only in base',
  noise: 'not significant',
};

export function BlockedTime({ data, ref }: { data: TraceDocument; ref: Ref<HTMLElement> }) {
  const { blocked } = data;
  const single = data.sides.candidate === null;
  const rows = blocked?.rows;
  const axis = useMemo(() => ratioAxis((rows ?? []).flatMap(({ change }) => change ?? [])), [rows]);
  const [all, setAll] = useState(false);
  if (!blocked || !rows) return null;
  const shown = all || rows.length <= SHOWN_FIRST + 2 ? rows.length : SHOWN_FIRST;
  const per = blocked.is_per_request ? 'per request' : 'per second';
  return (
    <section ref={ref} tabIndex={-1} className={classes.section} aria-label="Blocked time">
      <h2 className={classes.head}>
        Blocked time by goroutine group and function
        <span className="muted">
          locks, channel sends and system calls, {per} · {countOf(rows.length, 'row')}
          {!single && ' · base to candidate'}
        </span>
      </h2>
      {rows.length === 0 ? (
        <p className="muted">No goroutine was blocked for long on any of them.</p>
      ) : (
        <DataTable
          label="Blocked time by goroutine group and function"
          columns={columnsOf(single, per, axis)}
          rowCount={shown}
          rowAt={(index) => rows[index]!}
          rowKey={(row) => row.subject}
          rowHeight={26}
          minWidth={single ? 900 : 1280}
        />
      )}
      {shown < rows.length && (
        <p className={classes.rest}>
          <button type="button" className="link" onClick={() => setAll(true)}>
            {formatCount(rows.length - shown)} more functions
          </button>
        </p>
      )}
    </section>
  );
}

function Named({ name }: { name: string }) {
  return (
    <span title={name}>
      {visibleName(shortName(name))} <span className="muted">{foldersOf(name)}</span>
    </span>
  );
}

function changeColumns(axis: RatioAxis): Column<BlockedRow>[] {
  return [
    {
      id: 'change',
      head: <EffectAxis axis={axis} width={INTERVAL_WIDTH} />,
      label: 'change of the blocked time, with its interval',
      width: INTERVAL_WIDTH + 12,
      cell: ({ change, state }) => (
        <EffectInterval
          axis={axis}
          ratio={change?.ratio ?? null}
          low={change?.low ?? null}
          high={change?.high ?? null}
          change={state}
          width={INTERVAL_WIDTH}
          height={26}
        />
      ),
    },
    {
      id: 'verdict',
      head: 'Verdict',
      width: 170,
      cell: ({ state, is_tentative: isTentative }) => (
        <span className="t2">
          {CHANGES[state]}
          {isTentative && ', tentative'}
        </span>
      ),
    },
  ];
}

function columnsOf(single: boolean, per: string, axis: RatioAxis): Column<BlockedRow>[] {
  const time = (ns: number | null) => (ns === null || ns === 0 ? null : formatValue(ns, 'ns'));
  return [
    {
      id: 'group',
      head: 'Goroutine group',
      mono: true,
      cell: ({ group }) => <Named name={group} />,
    },
    {
      id: 'reason',
      head: 'Blocked on',
      width: 110,
      cell: ({ reason }) => <span className="t2">{REASONS[reason]}</span>,
    },
    { id: 'function', head: 'In', mono: true, cell: (row) => <Named name={row.function} /> },
    {
      id: 'time',
      head: `Blocked ${per}`,
      width: single ? 130 : 160,
      align: 'right',
      cell: ({ base_ns, candidate_ns, state }) => (
        <BothSides
          single={single}
          base={time(base_ns)}
          candidate={time(candidate_ns)}
          change={state}
        />
      ),
    },
    ...(single ? [] : changeColumns(axis)),
    {
      id: 'enders',
      head: 'Ended by',
      mono: true,
      width: single ? 300 : 240,
      cell: ({ enders, reason }) => <Enders enders={enders} reason={reason} />,
    },
  ];
}

/** The function that most often released the lock or received; the tooltip lists all. */
function Enders({ enders, reason }: Pick<BlockedRow, 'enders' | 'reason'>) {
  const known = enders.filter(({ group }) => group !== '');
  const [first] = known;
  if (reason === 'syscall exit' || !first) return dash;
  const all = known.map(
    ({ group, function: name, share }) => `${name} of ${group}: ${formatShare(share)}`,
  );
  return (
    <span title={all.join('\n')}>
      {visibleName(shortName(first.function))}{' '}
      <span className="muted">{formatShare(first.share)}</span>
    </span>
  );
}
