/** Kinds and folders as people call them. */
import { countOf, sizeText } from '../../ui';

const KINDS: Record<string, string> = {
  'profile.cpu': 'CPU profiles',
  'profile.heap': 'Heap profiles',
  'profile.allocs': 'Allocation profiles',
  'profile.mutex': 'Mutex profiles',
  'profile.block': 'Block profiles',
  'profile.goroutine': 'Goroutine profiles',
  'profile.threadcreate': 'Thread profiles',
  'profile.other': 'Other profiles',
  trace: 'Execution traces',
  spans: 'Distributed traces',
  growth: 'Stack-growth logs',
  bench: 'Benchmark output',
  unread: 'Files that were not read',
  metrics: 'Samples of metrics',
  audit: 'Audit log',
};

const FOLDERS: Record<string, string> = {
  originals: 'Files as they were received',
  profiles: 'Profiles, decoded',
  benchmarks: 'Benchmarks, decoded',
  traces: 'Execution traces, decoded',
  spans: 'Distributed traces, decoded',
  comparisons: 'Views of comparisons',
  exports: 'Exports of comparisons',
  'trace-cuts': 'Pieces cut out of traces',
  parts: 'Uploads that are not complete',
  reports: 'Reports',
  'team-exports': 'Exports of all data',
  metrics: 'Samples of metrics, packed',
};

const EXTRA: Record<string, string> = {
  spans: 'pushed ones go after 7 days at the latest',
  audit: 'a year at least',
  unread: 'refused, failed, or of no known kind',
};

export const kindText = (kind: string): string => KINDS[kind] ?? kind;
export const folderText = (folder: string): string => FOLDERS[folder] ?? folder;
export const extraText = (kind: string): string | undefined => EXTRA[kind];

/** "up to 7 days", "8 to 30 days", "older than a year". */
export function ageText(days: number | null, before: number | null): string {
  if (days === null) return before === 365 ? 'older than a year' : `older than ${before ?? 0} days`;
  return before === null ? `up to ${days} days` : `${before + 1} to ${days} days`;
}

/** "30 days", "1 day", "for ever". */
export const daysText = (days: number | null): string =>
  days === null ? 'for ever' : countOf(days, 'day');

/** "1,240 files, 3.10 GiB". */
export const filesText = (files: number, bytes: number): string =>
  `${countOf(files, 'file')}, ${sizeText(bytes)}`;
