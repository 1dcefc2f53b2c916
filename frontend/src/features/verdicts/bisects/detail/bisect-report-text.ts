/** The result of a bisect, as the first text of a report. */
import { formatFactor } from '../../../../engine/format/format';
import type { Bisect } from '../../../../api';
import { countOf, countText } from '../../../../ui';
import { shortCommit } from '../../../../lib/commits';
import { nameOf } from './bisect-levels';
import { VERDICTS, posteriorText, changeText, secondsText } from '../shared/bisect-wording';

/** Escapes Markdown in texts that others wrote. */
const plain = (text: string): string => text.replace(/[\\`*_{}[\]<>#|~]/gu, '\\$&');
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** Returns Markdown: the answer, the searched levels, the numbers of both sides, and the cost. */
export function makeBisectReportText(bisect: Bisect): string {
  return [
    `**${plain(bisect.sentence)}**`,
    chainOf(bisect),
    numbersOf(bisect),
    verifiedOf(bisect),
    compilerOf(bisect),
    costOf(bisect),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function chainOf({ levels }: Bisect): string {
  const lines = levels.flatMap((level) => {
    const { culprit, dependency_update, commits, candidate_count } = level;
    if (!culprit) return [];
    const through = dependency_update
      ? ` (${plain(dependency_update.module)} ${changeText(dependency_update)})`
      : '';
    return [
      `${plain(nameOf(level))}${through}: \`${culprit.sha}\` “${plain(culprit.title)}”, of ${countOf(commits, 'commit')} and ${countOf(candidate_count, 'candidate')}`,
    ];
  });
  if (lines.length === 0) return '';
  return ['Levels searched:', ...lines.map((line, at) => `${at + 1}. ${line}`)].join('\n');
}

function numbersOf({ evidence, signature }: Bisect): string {
  const { good, bad, unit } = evidence;
  if (good.length === 0 || bad.length === 0) return '';
  const [before, after] = [mean(good), mean(bad)];
  const times = before > 0 ? `, ${formatFactor(after / before)} times as much` : '';
  return `Measured: ${plain(signature.label)}. Before the culprit ${before.toPrecision(3)} ${unit} in ${countOf(good.length, 'measurement')}, from the culprit on ${after.toPrecision(3)} ${unit} in ${countOf(bad.length, 'measurement')}${times}.`;
}

function verifiedOf({ probes }: Bisect): string {
  const afresh = probes.filter(({ purpose }) => purpose === 'verify');
  if (afresh.length === 0) return '';
  const verdicts = afresh.map(
    ({ sha, verdict }) => `\`${shortCommit(sha)}\` ${verdict ? VERDICTS[verdict] : 'not measured'}`,
  );
  return `Verified by new alternating deployments: ${verdicts.join(', ')}.`;
}

const REPORTED_REASONS = 10;

function compilerOf({ compiler }: Bisect): string {
  const reasons = compiler?.reasons ?? [];
  if (reasons.length === 0) return '';
  const lines = reasons.slice(0, REPORTED_REASONS).map(({ sentence }) => `- ${plain(sentence)}`);
  const rest = reasons.length - lines.length;
  return [
    'What the compiler decided differently in the culprit:',
    ...lines,
    ...(rest > 0 ? [`- and ${countOf(rest, 'further decision')}`] : []),
  ].join('\n');
}

function costOf({ cost, posterior, state }: Bisect): string {
  const sure = state === 'found' ? ` to reach a probability of ${posteriorText(posterior)}` : '';
  return `It took ${countOf(cost.deployments, 'deployment')} of ${countOf(cost.builds, 'build')} in ${secondsText(cost.seconds)}${sure}; plain git bisect with the best of five would take about ${countText(cost.git_bisect_best_of_5_probes)}.`;
}
