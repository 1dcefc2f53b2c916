/**
 * The URL parameters of a profile: tab, sample type, label filter, selected function and category,
 * and the graph. Names are short, default values are omitted, and `v` is the version of this
 * format.
 */
import * as z from 'zod/mini';
import type { LabelMatcher } from '../../../api';
import { EMPTY_VIEW, ORIENTATIONS, type FlameView } from '../../../engine/flame/flame-view';
import type { Sort } from '../../../ui';

const VERSION = 1;

export const PROFILE_TABS = [
  'profile',
  'graph',
  'lines',
  'labels',
  'stacks',
  'artifacts',
  'metadata',
] as const;
export type ProfileTab = (typeof PROFILE_TABS)[number];

export const SORT_COLUMNS = ['name', 'self', 'attributed', 'own', 'mostly', 'total'] as const;

/** The most labels that the server accepts in a view. */
export const MOST_LABELS = 20;

const text = z.string().check(z.maxLength(4096));
const labelText = z.string().check(z.maxLength(1000));
const between0and1 = z.number().check(z.minimum(0), z.maximum(1));

/** Parses each field on its own: an invalid one gets its default, the others keep their values. */
const field = <T extends z.ZodMiniType>(type: T) => z.catch(z.optional(type), undefined);

const searchSchema = z.object({
  v: field(z.literal(VERSION)),
  tab: field(z.enum(PROFILE_TABS)),
  kind: field(text),
  type: field(text),
  labels: field(
    z
      .array(z.tuple([labelText.check(z.minLength(1)), z.nullable(labelText)]))
      .check(z.maxLength(MOST_LABELS)),
  ),
  basis: field(text),
  category: field(text),
  fn: field(text),
  label: field(text),
  sort: field(z.enum(SORT_COLUMNS)),
  asc: field(z.literal(true)),
  runtime: field(z.literal(true)),
  by: field(z.enum(['package', 'line'])),
  up: field(z.literal(true)),
  zoom: field(text),
  from: field(between0and1),
  to: field(between0and1),
  ignore: field(text),
  focus: field(text),
  hide: field(text),
  flat: field(z.literal(true)),
  around: field(text),
  q: field(text),
  regex: field(z.literal(true)),
  case: field(z.literal(true)),
});

export type ProfileSearch = z.infer<typeof searchSchema>;

/** The state of the page. */
export type ProfilePageView = {
  tab: ProfileTab;
  /** The kind of profile, and below it the sample type; '' = the default of the set. */
  kind: string;
  sampleType: string;
  labels: LabelMatcher[];
  /** Its `category` is the selected runtime category. */
  flame: FlameView;
  /** The name of the selected function; '' = the largest. */
  selected: string;
  /** The label whose values are listed; '' = the first. */
  labelKey: string;
  sort: Sort;
  /** Whether functions of the runtime are listed; their cost is also attributed to callers. */
  withRuntime: boolean;
};

export const DEFAULT_SORT: Sort = { column: 'own', descending: true };

const DEFAULT_FLAME: FlameView = {
  ...EMPTY_VIEW,
  mode: 'candidate',
  category: '',
  search: { pattern: '', regex: false, caseSensitive: false },
};

/** Parses the URL parameters; never throws. */
export function readProfileSearch(search: Record<string, unknown>): ProfileSearch {
  return searchSchema.parse(search);
}

export function profileViewOf(search: ProfileSearch): ProfilePageView {
  const { from, to } = search;
  return {
    tab: search.tab ?? 'profile',
    kind: search.kind ?? '',
    sampleType: search.type ?? '',
    labels: (search.labels ?? []).map(([key, value]) => ({ key, value })),
    flame: {
      ...DEFAULT_FLAME,
      orientation: search.up ? ORIENTATIONS[1] : ORIENTATIONS[0],
      basis: search.basis ?? '',
      granularity: search.by ?? 'function',
      zoom: search.zoom ?? '',
      span: from !== undefined && to !== undefined && from < to ? { from, to } : null,
      ignore: search.ignore ?? '',
      focus: search.focus ?? '',
      hide: search.hide ?? '',
      collapseRecursion: search.flat ?? false,
      sandwich: search.around ?? '',
      category: search.category ?? '',
      search: {
        pattern: search.q ?? '',
        regex: search.regex ?? false,
        caseSensitive: search.case ?? false,
      },
    },
    selected: search.fn ?? '',
    labelKey: search.label ?? '',
    sort: { column: search.sort ?? DEFAULT_SORT.column, descending: !search.asc },
    withRuntime: search.runtime ?? false,
  };
}

/** Converts a view to URL parameters without default values. */
export function profileSearchOf(view: ProfilePageView): ProfileSearch {
  const { flame, sort, labels } = view;
  const unless = <T>(value: T, usual: T): T | undefined => (value === usual ? undefined : value);
  const flag = (value: boolean): true | undefined => (value ? true : undefined);
  const search: ProfileSearch = {
    v: VERSION,
    tab: unless(view.tab, 'profile'),
    kind: unless(view.kind, ''),
    type: unless(view.sampleType, ''),
    labels: labels.length > 0 ? labels.map(({ key, value }) => [key, value]) : undefined,
    basis: unless(flame.basis, ''),
    by: flame.granularity === 'function' ? undefined : flame.granularity,
    category: unless(flame.category, ''),
    fn: unless(view.selected, ''),
    label: unless(view.labelKey, ''),
    sort: unless(sort.column, DEFAULT_SORT.column) as ProfileSearch['sort'],
    asc: flag(!sort.descending),
    runtime: flag(view.withRuntime),
    up: flag(flame.orientation === 'flame'),
    zoom: unless(flame.zoom, ''),
    from: flame.span?.from,
    to: flame.span?.to,
    ignore: unless(flame.ignore, ''),
    focus: unless(flame.focus, ''),
    hide: unless(flame.hide, ''),
    flat: flag(flame.collapseRecursion),
    around: unless(flame.sandwich, ''),
    q: unless(flame.search.pattern, ''),
    regex: flag(flame.search.regex),
    case: flag(flame.search.caseSensitive),
  };
  return Object.fromEntries(
    Object.entries<unknown>(search).filter(([, value]) => value !== undefined),
  );
}

/** Returns whether a change is a new history entry; drags and keystrokes replace an entry. */
export function isProfileStep(before: ProfilePageView, after: ProfilePageView): boolean {
  const chosen = ({ tab, kind, sampleType, labels, flame, selected }: ProfilePageView): string =>
    JSON.stringify([
      tab,
      kind,
      sampleType,
      labels,
      selected,
      flame.basis,
      flame.granularity,
      flame.category,
      flame.zoom,
      flame.focus,
      flame.ignore,
      flame.hide,
      flame.sandwich,
    ]);
  return chosen(before) !== chosen(after);
}
