/** Labels and texts of bisects, except those the server formats. */
import type { Bisect, BisectLevel, Probe } from '../../../../api';
import { likelihoodWords } from '../../../../lib/certainty';
import { countOf, countText, type Glyph } from '../../../../ui';
import { shortCommit } from '../../../../lib/commits';
import type { CliCommand } from '../../../platform/cli';
import { labelTexts, type Labels } from './runner-labels';

export const STATES: Record<Bisect['state'], [Glyph, string]> = {
  planned: ['waiting', 'planning'],
  'waiting-approval': ['waiting', 'waits for approval'],
  searching: ['running', 'searching'],
  paused: ['unsure', 'paused'],
  found: ['done', 'found'],
  'not-in-range': ['ended', 'not in this range'],
  'not-separable': ['unsure', 'not distinguishable'],
  stopped: ['ended', 'stopped'],
  cancelled: ['ended', 'cancelled'],
  failed: ['failed', 'failed'],
};

export const OPEN_STATES: Bisect['state'][] = [
  'planned',
  'waiting-approval',
  'searching',
  'paused',
];
export const isOpen = ({ state }: { state: Bisect['state'] }): boolean =>
  OPEN_STATES.includes(state);

/** Whether both ends were measured and the bisect is paused before its first candidate. */
export const isWaitingAtBoundaries = ({ state, settings, events }: Bisect): boolean =>
  state === 'paused' &&
  settings.pauses_after_boundaries === true &&
  events.find(({ kind }) => kind === 'boundaries-measured' || kind === 'retried')?.kind ===
    'boundaries-measured';

/** Returns the sentence without the state at its beginning, which is shown beside it. */
export function sentenceBesideState({ state, sentence }: Pick<Bisect, 'state' | 'sentence'>) {
  const word = STATES[state][1];
  return sentence.toLowerCase().startsWith(word)
    ? sentence
        .slice(word.length)
        .replace(/^[:.]\s*/u, '')
        .trim()
    : sentence;
}

export const VERDICTS: Record<NonNullable<Probe['verdict']>, string> = {
  slower: 'slower',
  'not-slower': 'not slower',
  inconclusive: 'inconclusive',
  unbuildable: 'does not build',
  measuring: 'being measured',
};

export const PURPOSES: Record<Probe['purpose'], string> = {
  baseline: 'measured in production, no deployment',
  boundary: 'measured boundary',
  control: 'control',
  probe: 'probe',
  verify: 'verified',
  override: 'overridden',
  variant: 'variant of an experiment',
  compile: 'compiled',
};

export const PHASES: Record<Probe['state'], string> = {
  queued: 'waits for a runner',
  leased: 'taken by a runner',
  deploying: 'deploying',
  warming: 'warming up',
  soaking: 'soaking',
  collecting: 'collecting',
  idle: 'deployed, waits',
  stopping: 'being removed',
  done: 'done',
  unbuildable: 'does not build',
  unhealthy: 'did not become healthy',
  failed: 'failed',
  invalidated: 'invalidated',
  lost: 'lost: its runner went offline',
};

/** Returns the label of the most probable commit: "Culprit" only once it is found. */
export const suspectName = ({ state }: { state: Bisect['state'] }): string =>
  state === 'found' ? 'Culprit' : 'Top suspect';

/** Formats a probability: "99.6%". One that is not 0 or 1 is never shown as 0% or 100%. */
export function posteriorText(belief: number): string {
  const percent = belief * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1%';
  if (percent < 100 && percent > 99.9) return '> 99.9%';
  return percent >= 99.95 || percent === 0 ? `${Math.round(percent)}%` : `${percent.toFixed(1)}%`;
}

/**
 * Probabilities below it are shown as numbers: words would call the most likely of many suspects
 * unlikely.
 */
export const LEAST_WORDED = 0.33;

/** Formats the probability of a suspect: words, or a number below `LEAST_WORDED`. */
export const suspectWords = (belief: number): string =>
  belief < LEAST_WORDED ? posteriorText(belief) : likelihoodWords(belief);

/** Formats odds in words: "very likely not slower". */
export const oddsWords = (odds: number): string =>
  `${likelihoodWords(Math.max(odds, 1) / (1 + odds))} ${odds >= 1 ? 'slower' : 'not slower'}`;

/** Formats odds: "9 to 1 for not slower". */
export function oddsText(odds: number | null): string {
  if (odds === null || odds <= 0) return '';
  const sure = odds >= 1 ? odds : 1 / odds;
  const to =
    sure >= 1000 ? 'over 1,000' : sure >= 10 ? countText(Math.round(sure)) : sure.toFixed(1);
  return `${to} to 1 for ${odds >= 1 ? 'slower' : 'not slower'}`;
}

export function secondsText(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

export const countsText = ({ commits, candidate_count: classes }: BisectLevel): string =>
  `${countOf(commits, 'commit')}, ${countOf(classes, 'candidate')}`;

/** Formats a version; a pseudo-version as its commit. */
export function versionText(version: string): string {
  const pseudo = /-(?:0\.)?\d{14}-([0-9a-f]{12})(?:\+incompatible)?$/u.exec(version);
  return pseudo?.[1] ? shortCommit(pseudo[1]) : version;
}

type Bump = NonNullable<BisectLevel['dependency_update']>;

/** Formats a version change: "v1.8.0 to v1.9.2". */
export const changeText = ({ old_version, new_version }: Bump): string =>
  `${versionText(old_version)} to ${versionText(new_version)}`;

/** Formats a dependency update: "bumps libx v1.8.0 to v1.9.2". */
export const dependencyUpdateText = (bump: BisectLevel['dependency_update']): string | null =>
  bump ? `bumps ${lastOf(bump.module)} ${changeText(bump)}` : null;

/** Returns the last part of a module's path, which is its usual name. */
export const lastOf = (path: string): string => path.replace(/\/$/u, '').split('/').pop() ?? path;

/** Formats a probe: "Probe 15, control, 8d20c6e41b: slower". */
export const probeText = (probe: Probe): string =>
  `Probe ${probe.number}, ${PURPOSES[probe.purpose]}, ${shortCommit(probe.sha)}: ${
    probe.verdict ? VERDICTS[probe.verdict] : PHASES[probe.state]
  }`;

/** Returns the text, with the reason if there is one. */
export const phaseText = (words: string, reason: string | null): string =>
  reason ? `${words}: ${reason}` : words;

type RunnerOf = { server: string; token: string; labels?: Labels };

/** Returns the command that starts a runner in a shell. */
export function runnerCommand(cli: CliCommand, { server, token, labels = {} }: RunnerOf): string {
  const labelled = labelTexts(labels).map((text) => `--label ${shellWord(text)} `);
  const run = `SLOWPATH_URL=${server} SLOWPATH_TOKEN=${token} ${cli.word} runner ${labelled.join('')}--repo . --measure ./measure.sh -- ./deploy.sh`;
  return [...cli.fetched, run].join(' && ');
}

const shellWord = (text: string): string =>
  /^[\w./:=@-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
