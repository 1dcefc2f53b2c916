/** Spans in words. Value in, words out; names are made visible where they are shown. */
import { formatShare, formatValue, visibleName } from '../../engine';
import { START, END, criticalOwn, largestGap } from '../../engine/waterfall';
import type { Gap, OneTrace, SideName, SpanSets } from './types';

/** A piece of a sentence; names stand in code type. */
export type Words = { text: string; code?: boolean };

const code = (name: string): Words => ({ text: visibleName(name), code: true });

/** "between a and b", "before a", "after b". */
export function gapPlace({ previous, next }: { previous: string; next: string }): Words[] {
  if (previous === START && next === END) return [{ text: 'from end to end' }];
  if (previous === START) return [{ text: 'before ' }, code(next)];
  if (next === END) return [{ text: 'after ' }, code(previous)];
  return [{ text: 'between ' }, code(previous), { text: ' and ' }, code(next)];
}

/** A gap that is told first holds at least so much of the whole. */
const WORTH_TELLING = 0.1;

/** The answer of one trace: how long it took, and where most of that went. */
export function traceAnswer(trace: OneTrace): Words[] {
  const root = trace.spans[0];
  if (!root) return [{ text: 'This trace has no spans' }];
  const lasted = formatValue(root.duration_ns, 'ns');
  const lead: Words[] = [code(root.op), { text: ` took ${lasted}` }];
  const largest = largestGap(trace.spans);
  if (largest) {
    const { row, gap } = largest;
    const length = gap.end_ns - gap.start_ns;
    const owner = trace.spans[row];
    if (owner && length >= WORTH_TELLING * root.duration_ns) {
      return [
        ...lead,
        { text: `; ${formatValue(length, 'ns')} of it is a gap in ` },
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
  return [
    ...lead,
    { text: `; ${share} of it is the own time of ` },
    code(`${span.service} ${span.op}`),
  ];
}

/** What of a side is told. */
export const gapOf = (gap: Gap, side: SideName) => gap[side];

/** The answer of a set: how long its requests take, and which gap holds most of them. */
export function setAnswer(told: SpanSets): Words[] {
  const side = told.sides.base;
  const op = side?.root_ops[0];
  if (!side || !op) return [{ text: 'No request was recorded in this set' }];
  const lead: Words[] = [
    code(op.op),
    { text: ` takes ${formatValue(op.p50_ns, 'ns')} in the middle and ` },
    { text: `${formatValue(op.p99_ns, 'ns')} at p99` },
  ];
  const gap = told.gaps
    .filter(({ leaf, base }) => !leaf && base !== null)
    .reduce<Gap | null>(
      (most, each) => (each.base!.share > (most?.base?.share ?? 0) ? each : most),
      null,
    );
  if (gap?.base && gap.base.share >= WORTH_TELLING) {
    return [
      ...lead,
      { text: `; ${formatShare(gap.base.share)} of request time is a gap in ` },
      code(`${gap.service} ${gap.op}`),
      { text: ' ' },
      ...gapPlace(gap),
    ];
  }
  const path = told.critical.reduce<SpanSets['critical'][number] | null>(
    (most, each) => ((each.base?.share ?? 0) > (most?.base?.share ?? 0) ? each : most),
    null,
  );
  if (!path?.base) return lead;
  return [
    ...lead,
    { text: `; ${formatShare(path.base.share)} of it is the own time of ` },
    code(`${path.service} ${path.op}`),
  ];
}

const FLAGS: Record<string, string> = {
  'parent missing': 'Its parent is not in the file; it stands as a root.',
  'follows from': 'It follows from its parent, which did not wait for it.',
  'negative duration': 'It ended before it began in the file; its duration is taken as nothing.',
  'outside its parent': 'It lies outside of its parent’s time.',
  'id used twice': 'Another span of this trace has the same id.',
  'cycle cut': 'Its parents went in a circle, which was cut here.',
};

export const flagText = (flag: string): string => FLAGS[flag] ?? visibleName(flag);

/** What was done to times of a clock that was wrong. */
export function skewText(skewNs: number): string | null {
  if (skewNs === 0) return null;
  const way = skewNs > 0 ? 'later' : 'earlier';
  return `Its clock was off: it and all below it are drawn ${formatValue(Math.abs(skewNs), 'ns')} ${way} than recorded, in the middle of the call. Gaps beside it shorter than twice that may be of the clock’s making.`;
}

/** The words of an address of a finding: which table it stands in. */
export type SpansArrival = { to: 'gap' | 'calls'; edge: string };
