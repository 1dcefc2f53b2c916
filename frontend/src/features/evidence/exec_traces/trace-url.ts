/** The URL parameters of traces; the page that shows them adds these to its own. */
import * as z from 'zod/mini';
import { WHOLE_TIMELINE, type TimelineViewport } from '../../../engine/timeline/timeline-viewport';
import type { Sort } from '../../../ui';

export const QUANTILES = ['p50', 'p90', 'p99', 'p999'] as const;
export type QuantileId = (typeof QUANTILES)[number];
export const GROUP_COLUMNS = [
  'group',
  'reason',
  'waits',
  'p50',
  'p90',
  'p99',
  'p999',
  'change',
  'share',
  'verdict',
] as const;
export const LEVEL_SETS = [
  'runnable',
  'running',
  'waiting',
  'processors',
  'heap',
  'events',
] as const;
export type LevelSet = (typeof LEVEL_SETS)[number];

export type TraceView = {
  /** "group|reason" of the selected waiter; '' = the default of the page. */
  waiter: string;
  quantile: QuantileId;
  sort: Sort;
  /** "<artifact>.<row>" of the wait on the timeline; '' = the longest of the waiter. */
  wait: string;
  window: TimelineViewport;
  levels: LevelSet;
  /** The trace of each side whose series are drawn; '' = the trace of the wait on the timeline. */
  drawn: { base: string; candidate: string };
};

const DEFAULT_TRACE_SORT: Sort = { column: 'share', descending: true };
export const DEFAULT_TRACE_VIEW: TraceView = {
  waiter: '',
  quantile: 'p99',
  sort: DEFAULT_TRACE_SORT,
  wait: '',
  window: WHOLE_TIMELINE,
  levels: 'runnable',
  drawn: { base: '', candidate: '' },
};

const text = z.string().check(z.maxLength(4096));
const between0and1 = z.number().check(z.minimum(0), z.maximum(1));
/** An artifact ID, with or without a row. */
const artifact = z.string().check(z.maxLength(120));
const field = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined);

/** An invalid field gets its default; the others keep their values. */
export const traceFields = {
  waiter: field(text),
  quantile: field(z.enum(QUANTILES)),
  gsort: field(z.enum(GROUP_COLUMNS)),
  gasc: field(z.literal(true)),
  wait: field(artifact),
  wfrom: field(between0and1),
  wto: field(between0and1),
  levels: field(z.enum(LEVEL_SETS)),
  tbase: field(artifact),
  tcand: field(artifact),
};
const searchSchema = z.object(traceFields);
type TraceSearch = z.infer<typeof searchSchema>;

export function readTraceSearch(search: Record<string, unknown>): TraceSearch {
  return searchSchema.parse(search);
}

export function traceViewOf(search: TraceSearch): TraceView {
  const { wfrom, wto } = search;
  return {
    waiter: search.waiter ?? '',
    quantile: search.quantile ?? DEFAULT_TRACE_VIEW.quantile,
    sort: { column: search.gsort ?? DEFAULT_TRACE_SORT.column, descending: !search.gasc },
    wait: search.wait ?? '',
    window:
      wfrom !== undefined && wto !== undefined && wfrom < wto
        ? { from: wfrom, to: wto }
        : WHOLE_TIMELINE,
    levels: search.levels ?? DEFAULT_TRACE_VIEW.levels,
    drawn: { base: search.tbase ?? '', candidate: search.tcand ?? '' },
  };
}

/** Rounds to 1e-9, which is a nanosecond of a second; more digits have no meaning. */
const rounded = (part: number): number => Math.round(part * 1e9) / 1e9;

/** Converts a view to URL parameters; default values are undefined. */
export function traceSearchOf(view: TraceView): TraceSearch {
  const { window, sort, drawn } = view;
  const whole = window.from === 0 && window.to === 1;
  const unless = <T>(value: T, usual: T): T | undefined => (value === usual ? undefined : value);
  return {
    waiter: unless(view.waiter, ''),
    quantile: unless(view.quantile, DEFAULT_TRACE_VIEW.quantile),
    gsort: unless(sort.column, DEFAULT_TRACE_SORT.column) as TraceSearch['gsort'],
    gasc: sort.descending ? undefined : true,
    wait: unless(view.wait, ''),
    wfrom: whole ? undefined : rounded(window.from),
    wto: whole ? undefined : rounded(window.to),
    levels: unless(view.levels, DEFAULT_TRACE_VIEW.levels),
    tbase: unless(drawn.base, ''),
    tcand: unless(drawn.candidate, ''),
  };
}

/**
 * Returns whether a change is a new history entry: another waiter, wait or trace is; a drag of the
 * timeline is not.
 */
export function isTraceStep(before: TraceView, after: TraceView): boolean {
  return (
    before.waiter !== after.waiter ||
    before.wait !== after.wait ||
    before.drawn.base !== after.drawn.base ||
    before.drawn.candidate !== after.drawn.candidate
  );
}
