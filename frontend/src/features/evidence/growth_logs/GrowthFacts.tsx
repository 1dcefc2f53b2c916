/** A summary of a decoded stack-growth log, for the page of its artifact. */
import type { Artifact } from '../../../api';
import { DetailsList, countText, durationText } from '../../../ui';

export function GrowthFacts({ growth }: { growth: NonNullable<Artifact['growth']> }) {
  const facts: [string, string][] = [
    ['printed by', growth.dialect],
    ['sampled growth events', countText(growth.sampled)],
    ['sampling: one in', countText(growth.sampling_rate)],
  ];
  if (growth.total !== null) facts.push(['growth events in total', countText(growth.total)]);
  if (growth.duration_ns !== null) facts.push(['recorded for', durationText(growth.duration_ns)]);
  for (const [at, warning] of growth.warnings.entries())
    facts.push([at === 0 ? 'note' : `note ${at + 1}`, warning.replace(/^[a-z0-9-]+: /u, '')]);
  return <DetailsList facts={facts} />;
}
