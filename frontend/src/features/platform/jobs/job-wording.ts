/** Texts for jobs, by their names in the API. An unknown job is shown by its name. */
import type { Job } from '../../../api';

/** The activity of a running job, and the name of the job in a list. */
const WORDS: Record<string, [doing: string, noun: string]> = {
  'assemblies.compute': ['disassembling', 'Disassemble a function'],
  'artifacts.decode': ['decoding', 'Decode an artifact'],
  'artifacts.delete-blobs': ['removing files', 'Remove deleted files'],
  'blobs.delete-orphaned': ['removing files', 'Remove unused files'],
  'artifacts.expire-upload': ['removing files', 'Remove an unfinished upload'],
  'comparisons.compute': ['comparing', 'Compare two sets'],
  'comparisons.build-view': ['building a view', 'Build another view'],
  'comparisons.export': ['exporting', 'Export a comparison'],
  'profile-sets.open': ['opening profiles', 'Open profiles'],
  'profile-sets.build-view': ['building a view', 'Build a view of profiles'],
  'profile-sets.store-remaining-chunks': ['storing a view', 'Store the rest of a view of profiles'],
  'profile-sets.export': ['exporting', 'Export profiles'],
  'execution-traces.extract-excerpt': ['cutting', 'Create a trace excerpt'],
  'gap-explanations.compute': ['explaining', 'Explain a gap'],
  'metric-sources.import': ['importing', 'Import history'],
  'repositories.fetch': ['reading commits', 'Read a repository'],
  'repositories.read-diff': ['reading commits', 'Read what a commit changes'],
  'repositories.compute-closures': ['reading commits', 'Find commits that change a service'],
  'repositories.delete-mirror': ['removing files', 'Remove a repository mirror'],
  'bisects.plan': ['planning', 'Plan a bisect'],
  'bisects.expand-candidate': ['planning', 'Expand a bisect candidate'],
  'bisects.check-range': ['checking a range', 'Check the range of a bisect'],
  'example-data.add': ['adding the example', 'Add the example data'],
  'example-data.remove': ['removing the example', 'Remove the example data'],
  'notifications.create-issue': ['creating an issue', 'Create an issue'],
  'notifications.deliver': ['delivering', 'Deliver a notification'],
  'reports.delete-unused-blobs': ['removing files', 'Clean up a report'],
  'retention.export-team': ['exporting', 'Export team data'],
};

export const activityOf = (name: string): string => WORDS[name]?.[0] ?? 'in progress';
export const subjectNoun = (name: string): string => WORDS[name]?.[1] ?? name;

/** Returns whether the job deletes its subject, which then has no page to link to. */
export const isWithoutResult = (name: string): boolean => /\.(?:delete|expire)-/u.test(name);

/**
 * Returns whether a job is a notification that its receiver did not accept: it is retried for days,
 * and is not active meanwhile.
 */
const isPaused = ({ name, state }: Pick<Job, 'name' | 'state'>): boolean =>
  name === 'notifications.deliver' && state === 'waiting';

/** Describes the active jobs: "2 decoding, 1 comparing"; empty if there are none. */
export function runningText(jobs: Pick<Job, 'name' | 'state'>[]): string {
  const counts = new Map<string, number>();
  for (const { name } of jobs.filter((job) => !isPaused(job)))
    counts.set(activityOf(name), (counts.get(activityOf(name)) ?? 0) + 1);
  return [...counts].map(([doing, count]) => `${count} ${doing}`).join(', ');
}
