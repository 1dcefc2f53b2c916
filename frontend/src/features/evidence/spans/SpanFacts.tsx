/** A summary of a decoded span set, for the page of its artifact. */
import type { Artifact } from '../../../api';
import { DetailsList, countText, durationText } from '../../../ui';

const DEFECTS = [
  ['missing_parents', 'spans with a missing parent'],
  ['duplicates', 'ids used twice'],
  ['cut_cycles', 'parent cycles cut'],
  ['negative_durations', 'negative durations'],
  ['clock_skewed_spans', 'corrected for clock skew'],
] as const;

export function SpanFacts({ spans }: { spans: NonNullable<Artifact['spans']> }) {
  const facts: [string, string][] = [
    ['format', spans.dialect],
    ['spans', countText(spans.spans)],
    ['traces', countText(spans.traces)],
    ['services', countText(spans.services)],
    ['recorded for', durationText(Math.max(0, spans.end_ns - spans.start_ns))],
  ];
  for (const [key, words] of DEFECTS)
    if (spans[key] > 0) facts.push([words, countText(spans[key])]);
  for (const [at, warning] of spans.warnings.entries())
    facts.push([at === 0 ? 'note' : `note ${at + 1}`, warning.replace(/^[a-z0-9-]+: /u, '')]);
  return <DetailsList facts={facts} />;
}
