/**
 * Query parameters of the inbox: its view and filters. A saved view stores the same as a query
 * string.
 */
import * as z from 'zod/mini';
import { addressChoice, addressText, listSearch } from '../../../lib/list-search';

export const VIEWS = [
  'needs-action',
  'mine',
  'production',
  'regressions',
  'snoozed',
  'closed',
] as const;
export type View = (typeof VIEWS)[number];

export const KINDS = [
  'production-event',
  'regression',
  'bisect',
  'channel',
  'metric-source',
] as const;
/** States that items of several kinds have. */
export const STATES = [
  'new',
  'investigating',
  'acknowledged',
  'closed',
  'fixed',
  'improved',
  'not-a-regression',
  'ignored',
] as const;
export const SEVERITIES = ['high', 'medium', 'low'] as const;

const searchSchema = z.object({
  ...listSearch,
  view: addressChoice(VIEWS),
  service: addressText,
  kind: addressChoice(KINDS),
  state: addressChoice(STATES),
  assignee: addressText,
  severity: addressChoice(SEVERITIES),
  reading: addressChoice(['unread']),
});
export type InboxSearch = z.infer<typeof searchSchema>;

/** Parses the query parameters. A missing or unknown view is the first one: what needs action. */
export function readInboxSearch(search: Record<string, unknown>): InboxSearch {
  return withoutDefaults(searchSchema.parse(search));
}

function withoutDefaults(search: InboxSearch): InboxSearch {
  const entries = Object.entries(search).filter(
    ([name, value]) => value && !(name === 'view' && value === VIEWS[0]),
  );
  return Object.fromEntries(entries);
}

export const viewOf = (search: InboxSearch): View => search.view ?? VIEWS[0];

/** Returns whether any filter is set. The view and the order are not filters. */
export const hasFilters = (search: InboxSearch): boolean =>
  Object.entries(search).some(
    ([name, value]) => name !== 'view' && name !== 'sort' && Boolean(value),
  );

/**
 * Formats the filters as the query string of a saved view. It is equal for equal filters in any
 * order.
 */
export function formatFilters(search: InboxSearch): string {
  const entries = Object.entries(withoutDefaults(search)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new URLSearchParams(entries).toString();
}

export const parseFilters = (filters: string): InboxSearch =>
  readInboxSearch(Object.fromEntries(new URLSearchParams(filters)));
