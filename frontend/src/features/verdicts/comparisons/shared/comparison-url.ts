/**
 * The search parameters of a link to a comparison: all that can be chosen on the page. They have
 * short names, and defaults are left out, which makes links readable. `v` is the version of this
 * format; older versions are upgraded when they are read.
 */
import * as z from 'zod/mini';
import {
  EMPTY_VIEW,
  FLAME_MODES,
  ORIENTATIONS,
  type FlameView,
} from '../../../../engine/flame/flame-view';
import type { Sort } from '../../../../ui';
import {
  benchmarkFields,
  benchmarkSearchOf,
  benchmarkViewOf,
  type BenchmarkView,
} from '../../../evidence/benchmarks';
import {
  growthFields,
  growthSearchOf,
  growthViewOf,
  type GrowthView,
} from '../../../evidence/growth_logs';
import { spansFields, spansSearchOf, spansViewOf, type SpansView } from '../../../evidence/spans';
import {
  traceFields,
  traceSearchOf,
  traceViewOf,
  type TraceView,
} from '../../../evidence/exec_traces';
import { ARTIFACT_KINDS, type ArtifactKind } from './artifact-kinds';

const VERSION = 2;

const GRANULARITIES = ['package', 'function', 'line'] as const;
export const SORT_COLUMNS = [
  'own',
  'own-change',
  'own-ratio',
  'attributed',
  'mostly',
  'name',
  'category',
  'base-self',
  'candidate-self',
  'base-total',
  'candidate-total',
  'change',
  'self-change',
  'ratio',
  'q',
] as const;

/**
 * A pattern or name. Longer ones are invalid: users do not type them and functions do not have
 * them.
 */
const text = z.string().check(z.maxLength(4096));
const between0and1 = z.number().check(z.minimum(0), z.maximum(1));

/** Parses each field on its own: an invalid one gets its default, the others keep their values. */
const field = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined);

const searchSchema = z.object({
  v: field(z.literal(VERSION)),
  whole: field(z.literal(true)),
  callers: field(z.literal('all')),
  expand: field(text),
  kind: field(text),
  type: field(text),
  by: field(z.enum(GRANULARITIES)),
  mode: field(z.enum(FLAME_MODES)),
  graph: field(z.literal('calls')),
  up: field(z.literal(true)),
  basis: field(text),
  zoom: field(text),
  from: field(between0and1),
  to: field(between0and1),
  ignore: field(text),
  focus: field(text),
  hide: field(text),
  flat: field(z.literal(true)),
  around: field(text),
  q: field(text),
  plain: field(z.literal(true)),
  case: field(z.literal(true)),
  find: field(z.int().check(z.minimum(0), z.maximum(9999))),
  open: field(z.literal(true)),
  sort: field(z.enum(SORT_COLUMNS)),
  asc: field(z.literal(true)),
  lines: field(text),
  asm: field(z.literal(true)),
  part: field(z.enum(ARTIFACT_KINDS)),
  ...traceFields,
  ...growthFields,
  ...benchmarkFields,
  ...spansFields,
});

type ComparisonSearch = z.infer<typeof searchSchema>;

/** All choices on the page, as its components use them. */
export type ComparisonView = {
  /** Kind of profile and sample type; '' = the comparison's first. */
  kind: string;
  sampleType: string;
  flame: FlameView;
  /** Whether calls between functions are drawn, not stacks. */
  calls: boolean;
  /** Number of the chosen finding, and whether its explanation is unfolded. */
  finding: number | null;
  /** Whether the graph is not zoomed to the finding. */
  whole: boolean;
  unfolded: boolean;
  sort: Sort;
  /** The function whose lines are listed; '' = none. */
  lines: string;
  /** Whether its assembly is shown, not its lines. */
  assembly: boolean;
  /** The artifact kind that is shown; '' = that of the first finding. */
  part: ArtifactKind | '';
  trace: TraceView;
  growth: GrowthView;
  bench: BenchmarkView;
  spans: SpansView;
};

const DEFAULT_SORT: Sort = { column: 'own-change', descending: true };

export const DEFAULT_VIEW: ComparisonView = {
  kind: '',
  sampleType: '',
  flame: { ...EMPTY_VIEW, collapseCallers: true },
  calls: false,
  finding: null,
  whole: false,
  unfolded: false,
  sort: DEFAULT_SORT,
  lines: '',
  assembly: false,
  part: '',
  trace: traceViewOf({}),
  growth: growthViewOf({}),
  bench: benchmarkViewOf({}),
  spans: spansViewOf({}),
};

/** Parses the search parameters and never throws. Those of an older version are upgraded first. */
export function readView(search: Record<string, unknown>): ComparisonSearch {
  return searchSchema.parse(search.v === 1 ? upgraded(search) : search);
}

/** Version 1 showed the whole graph with all callers unless zoomed, and sorted by the change of the total. */
function upgraded(search: Record<string, unknown>): Record<string, unknown> {
  return { sort: 'change', ...search, v: VERSION, whole: true, callers: 'all' };
}

export function viewOf(search: ComparisonSearch): ComparisonView {
  const { from, to } = search;
  return {
    kind: search.kind ?? '',
    sampleType: search.type ?? '',
    flame: {
      mode: search.mode ?? EMPTY_VIEW.mode,
      orientation: search.up ? ORIENTATIONS[1] : ORIENTATIONS[0],
      basis: search.basis ?? '',
      granularity: search.by ?? EMPTY_VIEW.granularity,
      zoom: search.zoom ?? '',
      span: from !== undefined && to !== undefined && from < to ? { from, to } : null,
      ignore: search.ignore ?? '',
      focus: search.focus ?? '',
      hide: search.hide ?? '',
      collapseRecursion: search.flat ?? false,
      collapseCallers: search.callers !== 'all',
      expanded: search.expand ?? '',
      sandwich: search.around ?? '',
      search: {
        pattern: search.q ?? '',
        regex: !search.plain,
        caseSensitive: search.case ?? false,
      },
    },
    calls: search.graph === 'calls',
    finding: search.find ?? null,
    whole: search.whole ?? false,
    unfolded: search.open ?? false,
    sort: { column: search.sort ?? DEFAULT_SORT.column, descending: !search.asc },
    lines: search.lines ?? '',
    assembly: search.asm ?? false,
    part: search.part ?? '',
    trace: traceViewOf(search),
    growth: growthViewOf(search),
    bench: benchmarkViewOf(search),
    spans: spansViewOf(search),
  };
}

/** Returns the search parameters of a view, without defaults. */
export function searchOf(view: ComparisonView): ComparisonSearch {
  const { flame, sort } = view;
  const unless = <T>(value: T, usual: T): T | undefined => (value === usual ? undefined : value);
  const flag = (value: boolean): true | undefined => (value ? true : undefined);
  const search: ComparisonSearch = {
    v: VERSION,
    kind: unless(view.kind, ''),
    type: unless(view.sampleType, ''),
    by: unless(flame.granularity, EMPTY_VIEW.granularity),
    mode: unless(flame.mode, EMPTY_VIEW.mode),
    graph: view.calls ? 'calls' : undefined,
    up: flag(flame.orientation === 'flame'),
    basis: unless(flame.basis, ''),
    zoom: unless(flame.zoom, ''),
    from: flame.span?.from,
    to: flame.span?.to,
    ignore: unless(flame.ignore, ''),
    focus: unless(flame.focus, ''),
    hide: unless(flame.hide, ''),
    flat: flag(flame.collapseRecursion),
    callers: flame.collapseCallers ? undefined : 'all',
    expand: unless(flame.expanded, ''),
    around: unless(flame.sandwich, ''),
    q: unless(flame.search.pattern, ''),
    plain: flag(!flame.search.regex),
    case: flag(flame.search.caseSensitive),
    find: view.finding ?? undefined,
    whole: flag(view.whole),
    open: flag(view.unfolded),
    sort: unless(sort.column, DEFAULT_SORT.column) as ComparisonSearch['sort'],
    asc: flag(!sort.descending),
    lines: unless(view.lines, ''),
    asm: flag(view.assembly),
    part: view.part === '' ? undefined : view.part,
    ...traceSearchOf(view.trace),
    ...growthSearchOf(view.growth),
    ...benchmarkSearchOf(view.bench),
    ...spansSearchOf(view.spans),
  };
  const chosen = Object.entries<unknown>(search).filter(([, value]) => value !== undefined);
  return Object.fromEntries(chosen);
}
