/** Names of kinds and folders. */
import { countOf, sizeText } from '../../../ui';
import { kindPlural } from '../../evidence/artifacts';

/** Kinds of data with a retention that are not kinds of artifacts. */
const OTHERS: Record<string, string> = {
  unread: 'Rejected artifacts',
  metrics: 'Metric samples',
  audit: 'Audit log',
};

const FOLDERS: Record<string, string> = {
  originals: 'Original files',
  profiles: 'Profiles, decoded',
  benchmarks: 'Benchmarks, decoded',
  traces: 'Execution traces, decoded',
  spans: 'Distributed traces, decoded',
  executables: 'Go programs, decoded',
  'profile-sets': 'Views of profiles',
  comparisons: 'Comparison views',
  exports: 'Comparison exports',
  'trace-cuts': 'Trace excerpts',
  parts: 'Incomplete uploads',
  reports: 'Reports',
  'team-exports': 'Team exports',
  metrics: 'Metric chunks',
};

const EXTRA: Record<string, string> = {
  spans: 'pushed metrics at most 7 days',
  audit: 'a year at least',
  unread: 'rejected, failed or of unknown kind',
};

export const kindText = (kind: string): string => OTHERS[kind] ?? kindPlural(kind);
export const folderText = (folder: string): string => FOLDERS[folder] ?? folder;
export const extraText = (kind: string): string | undefined => EXTRA[kind];

/** "up to 7 days", "8 to 30 days", "older than a year". */
export function ageText(days: number | null, before: number | null): string {
  if (days === null) return before === 365 ? 'older than a year' : `older than ${before ?? 0} days`;
  return before === null ? `up to ${days} days` : `${before + 1} to ${days} days`;
}

/** "30 days", "1 day", "Unlimited". */
export const daysText = (days: number | null): string =>
  days === null ? 'Unlimited' : countOf(days, 'day');

/** "1,240 artifacts, 3.10 GiB". */
export const filesText = (files: number, bytes: number): string =>
  `${countOf(files, 'artifact')}, ${sizeText(bytes)}`;
