/** What jobs are called, by their names on the wire. An unknown job is told by its own name. */
import type { Job } from '../../api';

/** What it does while it runs, and what it is called in a list. */
const WORDS: Record<string, [doing: string, noun: string]> = {
  'uploads.decode': ['decoding', 'Decode a file'],
  'uploads.forget': ['removing files', 'Remove deleted files'],
  'uploads.expire': ['removing files', 'Remove an unfinished upload'],
  'comparisons.compare': ['comparing', 'Compare two sets'],
  'comparisons.view': ['laying out', 'Lay out another view'],
  'comparisons.export': ['exporting', 'Export a comparison'],
  'traces.cut': ['cutting', 'Cut a piece out of a trace'],
  'explanations.explain': ['explaining', 'Explain a gap'],
  'sources.import': ['importing', 'Import history'],
  'commits.fetch': ['reading commits', 'Read a repository'],
  'commits.diff': ['reading commits', 'Read what a commit changes'],
  'commits.closures': ['reading commits', 'Find commits that change a service'],
  'commits.forget': ['removing files', 'Remove the copy of a repository'],
  'bisects.plan': ['planning', 'Plan a bisect'],
  'bisects.open': ['planning', 'Look into a commit of a bisect'],
  'notifications.deliver': ['telling', 'Deliver a message'],
  'reports.tidy': ['removing files', 'Tidy a report'],
  'keeping.export': ['exporting', 'Export all data'],
};

export const doingOf = (name: string): string => WORDS[name]?.[0] ?? 'under way';
export const nounOf = (name: string): string => WORDS[name]?.[1] ?? name;

/** Whether what a job is about is gone once the job has done its work: there is nothing to lead to. */
export const leavesNothing = (name: string): boolean =>
  name.endsWith('.forget') || name.endsWith('.expire');

/** A message that waits is one whose receiver did not take it: tried again for days, and nothing is done meanwhile. */
const isPaused = ({ name, state }: Pick<Job, 'name' | 'state'>): boolean =>
  name === 'notifications.deliver' && state === 'waiting';

/** "2 decoding, 1 comparing"; empty when nothing is under way. */
export function underWay(jobs: Pick<Job, 'name' | 'state'>[]): string {
  const counts = new Map<string, number>();
  for (const { name } of jobs.filter((job) => !isPaused(job)))
    counts.set(doingOf(name), (counts.get(doingOf(name)) ?? 0) + 1);
  return [...counts].map(([doing, count]) => `${count} ${doing}`).join(', ');
}
