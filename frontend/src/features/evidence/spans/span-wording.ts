/** Texts of spans. Invisible characters of names are made visible. */
import { formatShare, formatValue } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import { START, END, criticalOwn, largestGap } from '../../../engine/spans/waterfall-layout';
import type { Gap, TraceDetail, SpanSets } from './span-types';

/** A piece of a sentence; `code` shows it in code type. */
export type SpanWord = { text: string; code?: boolean };

const code = (name: string): SpanWord => ({ text: visibleName(name), code: true });

/** Returns the place of a gap: "between a and b", "before a", "after b". */
export function gapPlace({ previous, next }: { previous: string; next: string }): SpanWord[] {
  if (previous === START && next === END) return [{ text: 'end to end' }];
  if (previous === START) return [{ text: 'before ' }, code(next)];
  if (next === END) return [{ text: 'after ' }, code(previous)];
  return [{ text: 'between ' }, code(previous), { text: ' and ' }, code(next)];
}

/** The smallest share of the root span's duration with which the largest gap is named. */
const CRITICAL_SHARE_FLOOR = 0.1;

/** Returns the headline of a trace: how long it took, and where most of the time was spent. */
export function traceAnswer(trace: TraceDetail): SpanWord[] {
  const root = trace.spans[0];
  if (!root) return [{ text: 'This trace has no spans' }];
  const lasted = formatValue(root.duration_ns, 'ns');
  const lead: SpanWord[] = [code(root.op), { text: ` took ${lasted}` }];
  const largest = largestGap(trace.spans);
  if (largest) {
    const { row, gap } = largest;
    const length = gap.end_ns - gap.start_ns;
    const owner = trace.spans[row];
    if (owner && length >= CRITICAL_SHARE_FLOOR * root.duration_ns) {
      return [
        ...lead,
        { text: `; ${formatValue(length, 'ns')} is a gap in ` },
        code(`${owner.service} ${owner.op}`),
        { text: ' ' },
        ...gapPlace(gap),
      ];
    }
  }
  const own = criticalOwn(trace.critical_path, trace.spans.length);
  const most = own.indexOf(Math.max(...own));
  const span = trace.spans[most];
  const part = own[most];
  if (!span || part === undefined || part === 0) return lead;
  const share = formatShare(part / Math.max(1, root.duration_ns));
  return [...lead, { text: `; ${share} is the self time of ` }, code(`${span.service} ${span.op}`)];
}

/** Returns the headline of a set: how long its requests take, and which gap is the largest part. */
export function setAnswer(sets: SpanSets): SpanWord[] {
  const side = sets.sides.base;
  const op = side?.root_ops[0];
  if (!side || !op) return [{ text: 'No requests in this span set' }];
  const lead: SpanWord[] = [
    code(op.op),
    { text: ` takes ${formatValue(op.p50_ns, 'ns')} at the median and ` },
    { text: `${formatValue(op.p99_ns, 'ns')} at p99` },
  ];
  const gap = sets.gaps
    .filter(({ leaf, base }) => !leaf && base !== null)
    .reduce<Gap | null>(
      (most, each) => (each.base!.share > (most?.base?.share ?? 0) ? each : most),
      null,
    );
  if (gap?.base && gap.base.share >= CRITICAL_SHARE_FLOOR) {
    return [
      ...lead,
      { text: `; ${formatShare(gap.base.share)} of request time is a gap in ` },
      code(`${gap.service} ${gap.op}`),
      { text: ' ' },
      ...gapPlace(gap),
    ];
  }
  const path = sets.critical.reduce<SpanSets['critical'][number] | null>(
    (most, each) => ((each.base?.share ?? 0) > (most?.base?.share ?? 0) ? each : most),
    null,
  );
  if (!path?.base) return lead;
  return [
    ...lead,
    { text: `; ${formatShare(path.base.share)} is the self time of ` },
    code(`${path.service} ${path.op}`),
  ];
}

const FLAGS: Record<string, string> = {
  'parent missing': 'The parent is not in the artifact; shown as a root.',
  'follows from': 'Follows from its parent, which did not wait for it.',
  'negative duration': 'Ends before its start in the artifact; treated as zero duration.',
  'outside its parent': 'Outside the time of its parent.',
  'id used twice': 'Another span of this trace has the same id.',
  'cycle cut': 'Parent cycle, cut here.',
};

export const flagText = (flag: string): string => FLAGS[flag] ?? visibleName(flag);

/** Describes how times were corrected for clock skew; null without a correction. */
export function skewText(skewNs: number): string | null {
  if (skewNs === 0) return null;
  const way = skewNs > 0 ? 'later' : 'earlier';
  return `Clock skew: this span and its children are drawn ${formatValue(Math.abs(skewNs), 'ns')} ${way} than recorded, centered in the call. Adjacent gaps shorter than twice that may be caused by clock skew.`;
}

/** The target of a finding: a table and the edge of its row. */
export type SpansArrival = { to: 'gap' | 'calls'; edge: string };
