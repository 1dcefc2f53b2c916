/**
 * Merges responses into the dashboard that is shown: inserts rows that are loaded later, and
 * appends newer cells. The result is null if a response does not fit (another step, order or time
 * shift); the whole dashboard is then requested.
 */
import type { PanelGap } from '../../api/api-types';
import {
  QUANTILES,
  STATUS_CLASSES,
  type Dashboard,
  type DashboardRow,
  type RowSeries,
} from './dashboard-file';
import { timeAt, type TimeGrid } from './time-grid';

const lastOf = (grid: TimeGrid): number => timeAt(grid, grid.points - 1);
const sameGrid = (a: TimeGrid, b: TimeGrid): boolean =>
  a.fromMs === b.fromMs && a.stepMs === b.stepMs && a.points === b.points;

/** Returns the indexes of the loaded rows of a part by service id. */
const cameWith = (part: Dashboard): Map<string, number> =>
  new Map(part.rows.flatMap((row, at) => (row.loaded ? [[row.service.id, at] as const] : [])));

/** Inserts the loaded rows of another response; null if its grid or environment differs. */
export function withRows(board: Dashboard, page: Dashboard): Dashboard | null {
  if (!sameGrid(board.grid, page.grid) || board.environment?.id !== page.environment?.id)
    return null;
  const came = cameWith(page);
  const at = (row: DashboardRow): number | undefined => came.get(row.service.id);
  return {
    ...board,
    rows: board.rows.map((row) => page.rows[at(row) ?? -1] ?? row),
    series: board.series.map(
      (series, index) => page.series[at(board.rows[index]!) ?? -1] ?? series,
    ),
  };
}

/** The merged grid, the range of old cells in it, and the first time of the new cells. */
type Joint = { grid: TimeGrid; kept: [from: number, to: number]; sinceMs: number };

function jointOf(board: Dashboard, part: Dashboard): Joint | null {
  const { grid } = board;
  const { stepMs, points } = grid;
  const toMs = lastOf(part.grid);
  const from = (toMs - (points - 1) * stepMs - grid.fromMs) / stepMs;
  const to = (part.grid.fromMs - grid.fromMs) / stepMs;
  const fits =
    part.grid.stepMs === stepMs &&
    Number.isInteger(to) &&
    from >= 0 &&
    to >= from &&
    to <= points &&
    part.grid.points < points;
  return fits
    ? {
        grid: { fromMs: grid.fromMs + from * stepMs, stepMs, points },
        kept: [from, to],
        sinceMs: part.grid.fromMs,
      }
    : null;
}

const shiftOf = (board: Dashboard): number | null => board.against?.shift_ms ?? null;

/** Returns whether both have the same services in the same order and the same time shift. */
const alike = (board: Dashboard, part: Dashboard): boolean =>
  board.environment?.id === part.environment?.id &&
  board.orderSource === part.orderSource &&
  shiftOf(board) === shiftOf(part) &&
  board.empty === null &&
  part.servicesTotal === board.rows.length &&
  part.order.length === board.order.length &&
  part.order.every((id, at) => id === board.order[at]);

/**
 * Appends the newest cells of `part` and drops as many of the oldest; markers are those of `part`.
 * Returns null if they cannot be merged.
 */
export function mergeNewCells(board: Dashboard, part: Dashboard): Dashboard | null {
  const joint = jointOf(board, part);
  if (!joint || !alike(board, part)) return null;
  const newer = cameWith(part);
  const rows: DashboardRow[] = [];
  const series: RowSeries[] = [];
  for (const [index, row] of board.rows.entries()) {
    const at = newer.get(row.service.id);
    const own = board.series[index]!;
    if (row.loaded && at === undefined) return null;
    const came = at === undefined ? null : part.rows[at]!;
    rows.push(came ? joinedRow(row, came, joint) : row);
    series.push(came ? joinedSeries([own, row], [part.series[at!]!, came], joint) : own);
  }
  return { ...part, grid: joint.grid, rows, series, parts: board.parts + 1 };
}

function joinedRow(row: DashboardRow, came: DashboardRow, { grid, sinceMs }: Joint): DashboardRow {
  const ended = (upTo: number) => upTo >= grid.fromMs;
  return {
    ...came,
    // Without recent samples, the older response has more information.
    latency: came.latency.histogram === 'none' ? row.latency : came.latency,
    requests: came.requests.found ? came.requests : row.requests,
    // Cells without samples have no number of instances: none ran.
    instances: came.instances ?? (row.instances === null ? null : 0),
    gaps: joinedGaps(row, came, { grid, sinceMs }),
    resets: [
      ...row.resets.filter((at) => at < sinceMs && ended(at)),
      ...came.resets.filter((at) => at >= sinceMs),
    ],
    late: [
      ...row.late.filter(({ to_ms }) => ended(to_ms)),
      ...came.late.filter((run) =>
        row.late.every(({ received_ms }) => received_ms !== run.received_ms),
      ),
    ],
    gauges: came.gauges.map((gauge) => {
      const before = row.gauges.find(({ key }) => key === gauge.key)?.max ?? null;
      return before === null ? gauge : { ...gauge, max: Math.max(before, gauge.max ?? before) };
    }),
    instance_names: [...new Set([...row.instance_names, ...came.instance_names])],
  };
}

const QUIET = 'no samples';
const FIRST = 'before the first sample';

/** Merges gaps. Gaps on both sides of the joint become one, with the older one's reason. */
function joinedGaps(
  row: DashboardRow,
  came: DashboardRow,
  { grid, sinceMs }: Pick<Joint, 'grid' | 'sinceMs'>,
): PanelGap[] {
  const older = row.gaps
    .filter(({ to_ms }) => to_ms > grid.fromMs)
    .map((gap) => ({ ...gap, from_ms: Math.max(gap.from_ms, grid.fromMs) }));
  const before = older.filter(({ from_ms }) => from_ms < sinceMs);
  const atJoint = (panel: PanelGap['panel']) =>
    before.find((gap) => gap.panel === panel && gap.to_ms >= sinceMs - grid.stepMs);
  // The newest cells of a row without recent samples have no gaps, so one is added.
  const silent = row.requests.found && !came.requests.found && came.latency.histogram === 'none';
  const newest: PanelGap[] = silent
    ? [{ from_ms: sinceMs, to_ms: lastOf(grid), reason: QUIET, panel: 'both' }]
    : came.gaps;
  const joinable = new Set<PanelGap>();
  const joined = newest.map((gap) => {
    const known = gap.from_ms <= sinceMs ? atJoint(gap.panel) : undefined;
    if (known) joinable.add(known);
    const reason = known?.reason ?? (gap.reason === FIRST ? QUIET : gap.reason);
    return { ...gap, from_ms: known?.from_ms ?? gap.from_ms, reason };
  });
  const ended = before
    .filter((gap) => !joinable.has(gap))
    .map((gap) => ({ ...gap, to_ms: Math.min(gap.to_ms, sinceMs) }));
  return [...ended, ...joined];
}

type Whose = [series: RowSeries, row: DashboardRow];

function joinedSeries([own, row]: Whose, [came, newRow]: Whose, joint: Joint): RowSeries {
  const join = (before: Float32Array | null, after: Float32Array | null): Float32Array | null =>
    joined(before, after, joint);
  const each = <Key extends string, T>(keys: readonly Key[], of: (key: Key) => T) =>
    Object.fromEntries(keys.map((key) => [key, of(key)])) as Record<Key, T>;
  const names = [...new Set([...row.instance_names, ...newRow.instance_names])];
  const against = own.against ?? came.against;
  return {
    qps: each(STATUS_CLASSES, (id) => join(own.qps[id], came.qps[id])),
    latency: each(QUANTILES, (id) => join(own.latency[id], came.latency[id])),
    bands: each(QUANTILES, (id) => {
      const low = join(own.bands[id]?.low ?? null, came.bands[id]?.low ?? null);
      const high = join(own.bands[id]?.high ?? null, came.bands[id]?.high ?? null);
      return low && high ? { low, high } : null;
    }),
    gauges: newRow.gauges.map(({ key }, at) =>
      join(
        own.gauges[row.gauges.findIndex((gauge) => gauge.key === key)] ?? null,
        came.gauges[at] ?? null,
      ),
    ),
    instances: names.map((name) =>
      join(
        own.instances[row.instance_names.indexOf(name)] ?? null,
        came.instances[newRow.instance_names.indexOf(name)] ?? null,
      ),
    ),
    // The newest cells of split rows are never requested alone.
    split: [],
    against: against && {
      qps: join(own.against?.qps ?? null, came.against?.qps ?? null),
      latency: each(QUANTILES, (id) =>
        join(own.against?.latency[id] ?? null, came.against?.latency[id] ?? null),
      ),
    },
  };
}

function joined(
  before: Float32Array | null,
  after: Float32Array | null,
  { grid, kept: [from, to] }: Joint,
): Float32Array | null {
  if (!before && !after) return null;
  const cells = new Float32Array(grid.points).fill(NaN);
  if (before) cells.set(before.subarray(from, to));
  if (after) cells.set(after, to - from);
  return cells;
}
