/** The text of a comparison, finding, regression, production event or bisect, for the clipboard. */
import type {
  Bisect,
  Comparison,
  EmbeddedPanel,
  Finding,
  ProductionEvent,
  Regression,
} from '../api';
import {
  formatDelta,
  formatNumber,
  formatProbability,
  formatRatio,
  formatRatioRange,
  formatShare,
  formatValue,
} from '../engine/format/format';
import { suspectName } from '../features/verdicts/bisects';
import type { CopiedRow, CopiedText } from '../lib/copied-text';
import { shortCommit } from '../lib/commits';

const MOST_ROWS = 10;

type Body = Omit<CopiedText, 'url'>;

function changeOf({ change, unit, q_value }: Finding): string {
  const confidence = `${Math.round(change.confidence_level * 100)}% CI`;
  const effect =
    change.ci_of === 'ratio'
      ? `${formatRatio(change.ratio)} (${confidence} ${formatRatioRange(change.ci_low, change.ci_high, 'sentence')})`
      : `${formatDelta(change.difference, unit)} (${confidence} ${formatDelta(change.ci_low, unit)} to ${formatDelta(change.ci_high, unit)})`;
  return q_value === null ? effect : `${effect}, q = ${formatProbability(q_value)}`;
}

const rowOf = (finding: Finding): CopiedRow => ({
  name: finding.subject,
  value: `${formatValue(finding.base, finding.unit)} → ${formatValue(finding.candidate, finding.unit)}`,
  change: changeOf(finding),
});

/** @param number of the finding that is opened, from 0; null: the comparison as a whole. */
export function copyComparison(comparison: Comparison, number: number | null): Body {
  const findings = comparison.result?.findings ?? [];
  const opened = number === null ? undefined : findings[number];
  if (opened)
    return {
      title: `${comparison.name}: ${opened.subject}`,
      sentence: opened.sentence,
      rows: [rowOf(opened)],
    };
  const reported = findings.filter(({ is_significant }) => is_significant);
  return {
    title: comparison.name,
    sentence: comparison.verdict_sentence ?? `The comparison is ${comparison.state}.`,
    rows: reported.slice(0, MOST_ROWS).map(rowOf),
    more: Math.max(0, reported.length - MOST_ROWS),
  };
}

const ratioText = (ratio: number | null, low: number | null, high: number | null): string =>
  low === null || high === null
    ? formatRatio(ratio)
    : `${formatRatio(ratio)} (95% CI ${formatRatioRange(low, high, 'sentence')})`;

export function copyRegression(regression: Regression): Body {
  const { number, title, sentence, subject, unit, before, after } = regression;
  const { ratio, ratio_low, ratio_high } = regression;
  const rows: CopiedRow[] = [];
  if (before !== null && after !== null)
    rows.push({
      name: subject,
      value: `${formatValue(before, unit)} → ${formatValue(after, unit)}`,
      change: ratioText(ratio, ratio_low, ratio_high),
    });
  if (regression.first_bad_build)
    rows.push({ name: 'First bad build', value: regression.first_bad_build.commit });
  if (regression.fixed_by) rows.push({ name: 'Fixed by', value: regression.fixed_by.commit });
  return {
    title: `${number === null ? 'Unconfirmed regression' : `Regression ${number}`}: ${title}`,
    sentence,
    rows,
  };
}

export function copyEvent({ item, sentence, signals, suspects }: ProductionEvent): Body {
  const [suspect] = suspects;
  return {
    title: `Production event ${item.number ?? ''}: ${item.title}`,
    sentence,
    rows: [
      ...signals
        .slice(0, MOST_ROWS)
        .map(({ service, signal, gauge, before, after, ratio, low, high }) => ({
          name: `${service.slug} ${gauge ?? signal}`,
          value: signalText(signal, before, after),
          change: ratioText(ratio, low, high),
        })),
      ...(suspect
        ? [{ name: 'Suspect commit', value: `${shortCommit(suspect.sha)} ${suspect.title}` }]
        : []),
    ],
    more: Math.max(0, signals.length - MOST_ROWS),
  };
}

const LOCAL_HOST = /^(localhost|127\.|\[::1\]|10\.|192\.168\.|[^.]+$)/u;

/**
 * Returns the image of an embedded panel that shows the event: of its environment, signal and time.
 * Returns undefined if the server has no public address, because a chat program could not load the
 * image.
 */
export function findEventImage(
  { item, signal, range }: ProductionEvent,
  panels: readonly EmbeddedPanel[],
): string | undefined {
  if (signal === 'gauge') return undefined;
  const since = Date.parse(item.since_at ?? range.from);
  const kind = signal === 'qps' ? 'requests' : 'latency';
  const shown = panels.filter(({ environment_id, panel, until_ms, length_s, image_url }) => {
    const until = until_ms ?? Date.now();
    return (
      environment_id === range.environment_id &&
      panel === kind &&
      since > until - length_s * 1000 &&
      since < until &&
      !LOCAL_HOST.test(new URL(image_url).hostname)
    );
  });
  return (shown.find(({ until_ms }) => until_ms !== null) ?? shown[0])?.image_url;
}

/** Formats requests per second, latencies in seconds, and gauges as plain numbers. */
function signalText(signal: string, before: number, after: number): string {
  if (signal === 'gauge') return `${formatNumber(before)} → ${formatNumber(after)}`;
  const unit = signal === 'qps' ? 'requests/second' : 'seconds';
  return `${formatValue(before, unit)} → ${formatValue(after, unit)}`;
}

export function copyBisect(bisect: Bisect): Body {
  const { number, title, sentence, culprit, posterior, deployments, good, bad } = bisect;
  return {
    title: `Bisect ${number}: ${title}`,
    sentence,
    rows: [
      ...(culprit
        ? [
            {
              name: suspectName(bisect),
              value: `${culprit.repository} ${shortCommit(culprit.sha)} ${culprit.title}`,
            },
          ]
        : []),
      { name: 'Probability', value: formatShare(posterior) },
      { name: 'Range', value: `${shortCommit(good.sha)} to ${shortCommit(bad.sha)}` },
      { name: 'Deployments', value: String(deployments) },
    ],
  };
}
