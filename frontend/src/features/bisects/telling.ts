/** A finished bisect as prose: what heads its report. Markdown; what people wrote is quoted so that it stays text. */
import type { Bisect } from '../../api';
import { formatValue } from '../../engine';
import { countOf } from '../../ui';
import { nameOf } from './levels';
import { beliefText, secondsText, shortSha } from './wording';

const MARKS = /[\\`*_{}[\]()#+\-.!|<>~&]/gu;

/** Names and titles as they are, whatever they are made of. */
export const plain = (text: string): string =>
  text.replace(/\s+/gu, ' ').replace(MARKS, (mark) => `\\${mark}`);

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

export function bisectReport(bisect: Bisect): { title: string; markdown: string } {
  const { culprit, signature, evidence, service } = bisect;
  const title = culprit
    ? `${shortSha(culprit.sha)} of ${culprit.repository}: ${signature.label}`
    : bisect.title;
  const parts = [
    culprit
      ? `**Commit \`${shortSha(culprit.sha)}\` of ${plain(culprit.repository)}, “${plain(culprit.title)}”**, is what changed ${plain(signature.label)} of ${plain(service.name)}: believed with ${beliefText(bisect.belief)}.`
      : plain(bisect.sentence),
    chainOf(bisect),
    numbersOf(evidence),
    costOf(bisect),
  ];
  return { title: title.slice(0, 200), markdown: parts.filter((part) => part !== '').join('\n\n') };
}

/** From the top down: each version change, and the commit that made it. */
function chainOf({ levels }: Bisect): string {
  if (levels.length < 2) return '';
  const lines = levels.map((level) => {
    const at = level.culprit;
    const commit = at ? `\`${shortSha(at.sha)}\` “${plain(at.title)}”` : 'no commit alone';
    const bump = level.bump ? ` (${plain(level.bump.before)} to ${plain(level.bump.after)})` : '';
    return `1. ${plain(nameOf(level))}${bump}: ${commit}, one of ${countOf(level.commits, 'commit')}`;
  });
  return `How it got there:\n\n${lines.join('\n')}`;
}

function numbersOf({ good, bad, unit, label }: Bisect['evidence']): string {
  const [before, after] = [mean(good), mean(bad)];
  if (before === null || after === null) return '';
  const times = before > 0 ? `, ×${(after / before).toFixed(2)}` : '';
  return `${plain(label)}: **${formatValue(after, unit)} instead of ${formatValue(before, unit)}**${times}, the means of ${countOf(bad.length, 'window')} of builds with the commit and of ${good.length} without.`;
}

function costOf({ cost, elsewhere }: Bisect): string {
  return `It took ${countOf(cost.deploys, 'deploy')} of ${countOf(cost.builds, 'build')} in ${countOf(cost.rounds, 'round')} and ${secondsText(cost.seconds)}; plain git bisect, each build measured five times, takes about ${countOf(cost.git_bisect_best_of_5, 'deploy')}. That it is none of these commits is believed with ${beliefText(elsewhere)}.`;
}
