/**
 * The URL parameters of spans: of a trace its viewport, folded rows and selection; of sets the
 * order of tables and the selected row.
 */
import * as z from 'zod/mini';
import { WHOLE_TIMELINE, type TimelineViewport } from '../../../engine/timeline/timeline-viewport';
import type { Sort } from '../../../ui';

const field = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined);
const between0and1 = z.number().check(z.minimum(0), z.maximum(1));
const row = z.int().check(z.minimum(0), z.maximum(1_000_000));
const text = z.string().check(z.maxLength(4096));
const unless = <T>(value: T, usual: T): T | undefined => (value === usual ? undefined : value);

const waterfallSearch = z.object({
  span: field(row),
  /** Folded rows, such as "r3r17r40". */
  fold: field(text),
  wfrom: field(between0and1),
  wto: field(between0and1),
  q: field(z.union([z.number(), z.string().check(z.maxLength(200))])),
  plain: field(z.literal(true)),
});
type WaterfallSearch = z.infer<typeof waterfallSearch>;

export type WaterfallView = {
  /** The row of the selected span. */
  span: number | null;
  folded: ReadonlySet<number>;
  window: TimelineViewport;
  /** The words of the search for spans. */
  words: string;
  /** Whether the critical path is drawn. */
  critical: boolean;
};

export const readWaterfallSearch = (search: Record<string, unknown>): WaterfallSearch =>
  waterfallSearch.parse(search);

/** The most folded rows in a URL, to limit its length; a link shows the others unfolded. */
const MOST_FOLDS = 400;

export function waterfallViewOf(search: WaterfallSearch): WaterfallView {
  const { wfrom, wto } = search;
  const folds = search.fold?.match(/(?<=r)\d{1,7}(?=r|$)/gu) ?? [];
  return {
    span: search.span ?? null,
    folded: new Set(folds.slice(0, MOST_FOLDS).map(Number)),
    window:
      wfrom !== undefined && wto !== undefined && wfrom < wto
        ? { from: wfrom, to: wto }
        : WHOLE_TIMELINE,
    words: String(search.q ?? ''),
    critical: !search.plain,
  };
}

/** Rounds to 1e-9, which is a nanosecond of a second; more digits have no meaning. */
const rounded = (part: number): number => Math.round(part * 1e9) / 1e9;

export function waterfallSearchOf(view: WaterfallView): WaterfallSearch {
  const { window, folded } = view;
  const whole = window.from === 0 && window.to === 1;
  return {
    span: view.span ?? undefined,
    fold:
      folded.size === 0
        ? undefined
        : [...folded]
            .slice(0, MOST_FOLDS)
            .map((each) => `r${each}`)
            .join(''),
    wfrom: whole ? undefined : rounded(window.from),
    wto: whole ? undefined : rounded(window.to),
    q: unless(view.words, ''),
    plain: view.critical ? undefined : true,
  };
}

export const GAP_COLUMNS = ['edge', 'base', 'candidate', 'change', 'share', 'n'] as const;
export const GAP_QUANTILES = ['p50', 'p90', 'p99'] as const;
export type GapQuantile = (typeof GAP_QUANTILES)[number];

export type SpansView = {
  /** The edge of the selected gap or calls; '' = none. */
  edge: string;
  quantile: GapQuantile;
  sort: Sort;
};
const USUAL_SORT: Sort = { column: 'change', descending: true };

/** An invalid field gets its default; the others keep their values. */
export const spansFields = {
  edge: field(text),
  squant: field(z.enum(GAP_QUANTILES)),
  ssort: field(z.enum(GAP_COLUMNS)),
  sasc: field(z.literal(true)),
};
type SpansSearch = z.infer<z.ZodMiniObject<typeof spansFields>>;

export const spansViewOf = (search: SpansSearch): SpansView => ({
  edge: search.edge ?? '',
  quantile: search.squant ?? 'p90',
  sort: { column: search.ssort ?? USUAL_SORT.column, descending: !search.sasc },
});

export const spansSearchOf = ({ edge, quantile, sort }: SpansView): SpansSearch => ({
  edge: unless(edge, ''),
  squant: unless(quantile, 'p90'),
  ssort: unless(sort.column, USUAL_SORT.column) as SpansSearch['ssort'],
  sasc: sort.descending ? undefined : true,
});

const TRACE_ORDERS = ['duration', 'start', 'gap', 'spans', 'errors'] as const;

/** The listed traces of a set: order, filter and page. */
export type TracesView = {
  order: (typeof TRACE_ORDERS)[number];
  descending: boolean;
  words: string;
  errors: boolean;
  page: number;
};

/** Returns whether an order is descending by default: all except the start time. */
export const usualDescending = (order: TracesView['order']): boolean => order !== 'start';

const setSearch = z.object({
  ...spansFields,
  tsort: field(z.enum(TRACE_ORDERS)),
  tturn: field(z.literal(true)),
  tq: field(z.union([z.number(), z.string().check(z.maxLength(200))])),
  terr: field(z.literal(true)),
  tpage: field(row),
});
type SetSearch = z.infer<typeof setSearch>;

/** Parses the URL parameters of a span set: its tables, and its list of all traces. */
export const readSpansSearch = (search: Record<string, unknown>): SetSearch =>
  setSearch.parse(search);

export function tracesViewOf(search: SetSearch): TracesView {
  const order = search.tsort ?? 'duration';
  return {
    order,
    descending: usualDescending(order) !== (search.tturn ?? false),
    words: String(search.tq ?? ''),
    errors: search.terr ?? false,
    page: search.tpage ?? 0,
  };
}

export const tracesSearchOf = (view: TracesView): SetSearch => ({
  tsort: unless(view.order, 'duration'),
  tturn: view.descending === usualDescending(view.order) ? undefined : true,
  tq: unless(view.words, ''),
  terr: view.errors ? true : undefined,
  tpage: unless(view.page, 0),
});

const mapFields = z.object({ env: field(z.string().check(z.maxLength(80))) });
export const readMapSearch = (search: Record<string, unknown>) => mapFields.parse(search);
