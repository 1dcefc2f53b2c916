/** Query parameters of a report page. */
import type { Scrub } from './report-types';

const versionOf = (value: unknown): number | undefined =>
  Number.isInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined;

export const readReportSearch = (search: Record<string, unknown>): { version?: number } => ({
  version: versionOf(search.version),
});

/** Parses the kinds of data that are not scrubbed (`keep`); all others are removed. */
export function readScrubSearch(search: Record<string, unknown>): {
  version?: number;
  keep?: string;
} {
  const keep = typeof search.keep === 'string' ? search.keep : undefined;
  return { version: versionOf(search.version), keep };
}

export const parseScrubOptions = (scrub: Scrub): string | undefined =>
  Object.entries(scrub)
    .flatMap(([name, out]) => (out ? [] : [name]))
    .join('-') || undefined;

export function scrubOf(keep: string | undefined): Scrub {
  const kept = new Set(keep?.split('-'));
  return {
    labels: !kept.has('labels'),
    paths: !kept.has('paths'),
    hosts: !kept.has('hosts'),
    users: !kept.has('users'),
  };
}
