/** What jobs are called, by their names on the wire. An unknown job is told by its own name. */
import type { Job } from '../../api';

const DOING: Record<string, string> = {
  'uploads.decode': 'decoding',
  'uploads.assemble': 'assembling',
  'profiles.summarise': 'summarising',
  'comparisons.compare': 'comparing',
  'comparisons.view': 'laying out',
  'comparisons.export': 'exporting',
  'sources.import': 'importing',
};

const NOUN: Record<string, string> = {
  'uploads.decode': 'Decode a file',
  'uploads.assemble': 'Assemble an upload',
  'profiles.summarise': 'Summarise a profile',
  'comparisons.compare': 'Compare two sets',
  'comparisons.view': 'Lay out another view',
  'comparisons.export': 'Export',
  'sources.import': 'Import history',
};

const ENDINGS: [RegExp, string, string][] = [
  [/decode/, 'decoding', 'Decode a file'],
  [/compar|compute|analys/, 'comparing', 'Compare two sets'],
  [/export/, 'exporting', 'Export'],
  [/view/, 'laying out', 'Lay out another view'],
];

export function doingOf(name: string): string {
  return DOING[name] ?? ENDINGS.find(([pattern]) => pattern.test(name))?.[1] ?? 'under way';
}

export function nounOf(name: string): string {
  return NOUN[name] ?? ENDINGS.find(([pattern]) => pattern.test(name))?.[2] ?? name;
}

/** "2 decoding, 1 comparing"; empty when nothing is under way. */
export function underWay(jobs: Pick<Job, 'name'>[]): string {
  const counts = new Map<string, number>();
  for (const { name } of jobs) counts.set(doingOf(name), (counts.get(doingOf(name)) ?? 0) + 1);
  return [...counts].map(([doing, count]) => `${count} ${doing}`).join(', ');
}
