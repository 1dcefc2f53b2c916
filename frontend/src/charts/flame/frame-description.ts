/** Describes a frame or a rest of an arrangement: values, text, attributed caller. */
import type { ChangeText } from '../../engine/format/change-wording';
import type { Arranged } from '../../engine/flame/flame-model';
import type { Rest } from '../../engine/flame/flame-scene';
import type { UnitOf } from '../../engine/format/format';
import { changeOf } from '../../engine/format/change-class';
import { normalizationPhrase, describeChange } from '../../engine/format/change-wording';
import { NO_NODE, isOneSided } from '../../engine/flame/diff-part';
import { describeCollapsedFrames } from '../../engine/flame/flame-scene';
import { formatCount, formatShare, formatValue, unitOf } from '../../engine/format/format';
import { visibleName } from '../../engine/flame/frame-label';
import { levelOf, type FrameTable } from '../../engine/flame/frame-table';
import { callersOf } from '../../engine/flame/collapsed-callers';
import { STATE } from '../../engine/format/change-class';
import { shortName } from '../../engine/format/short-function-name';
import type { FrameDescription } from './flame-props';

/** What the pointer or the keyboard is on. `side` is an index of the arrangement's sides. */
export type Target =
  | { kind: 'frame'; side: number; table: number; frame: number }
  | { kind: 'rest'; side: number; table: number; level: number; rest: Rest };

export function sameTarget(one: Target | null, other: Target | null): boolean {
  if (one === null || other === null) return one === other;
  if (one.side !== other.side || one.table !== other.table) return false;
  if (one.kind === 'frame') return other.kind === 'frame' && one.frame === other.frame;
  return (
    other.kind === 'rest' &&
    one.rest.parent === other.rest.parent &&
    one.rest.from === other.rest.from &&
    one.rest.to === other.rest.to
  );
}

export function nameOfFrame(arranged: Arranged, table: number, frame: number): string {
  const isRoot = frame === 0 && arranged.tables.length === 1;
  return isRoot ? 'all' : arranged.names.text(arranged.tables[table]!.name[frame]!);
}

export type CollapsedLabel = {
  /** "24 callers, same increase". */
  words: string;
  /** The first and the last caller, or the caller that a search found. */
  names: string;
};

const RUN_WORDS: Record<number, string> = {
  [STATE.more]: 'same increase',
  [STATE.less]: 'same decrease',
  [STATE.onlyCandidate]: 'only in candidate',
  [STATE.onlyBase]: 'only in base',
};

/** Returns the label of collapsed callers; null for other frames. */
export function collapsedLabel(
  arranged: Arranged,
  table: number,
  frame: number,
): CollapsedLabel | null {
  const frames = arranged.tables[table]!;
  const callers = callersOf(frames, frame);
  if (callers.length === 0) return null;
  const change = RUN_WORDS[frames.state[frame]!] ?? '';
  const found = arranged.hits?.[table]?.names;
  const matches = found === undefined ? [] : [...callers].filter((name) => found[name] === 1);
  const ends = [callers[0]!, callers.at(-1)!].map((name) => nameShown(arranged, name));
  const more = matches.length > 1 ? ` and ${matches.length - 1} more` : '';
  return {
    words: `${callers.length} callers, ${change}`,
    names:
      matches[0] === undefined
        ? ends.join(' … ')
        : `match: ${nameShown(arranged, matches[0])}${more}`,
  };
}

const nameShown = (arranged: Arranged, name: number): string =>
  visibleName(shortName(arranged.names.text(name)), 80);

/** Returns whether a frame, or a caller that is collapsed in it, has one of these names. */
export function isNamed(
  frames: Pick<FrameTable, 'name' | 'runs'>,
  frame: number,
  has: (name: number) => boolean,
): boolean {
  if (has(frames.name[frame]!)) return true;
  return frames.runs !== null && callersOf(frames, frame).some(has);
}

/** Returns the first user frame below a runtime frame; null for a frame outside the runtime. */
function attributedCallerOf(arranged: Arranged, table: number, frame: number): string | null {
  const frames = arranged.tables[table]!;
  // In the callers' half, parents are callees: no caller can be named.
  if (table === 1 || frames.runtime[frame] !== 1) return null;
  let at = frame;
  while (at > 0 && frames.runtime[at] === 1) at = frames.parent[at]!;
  return at > 0 ? arranged.names.text(frames.name[at]!) : null;
}

/** Describes a frame in the units of the arrangement's basis. */
export function describeFrame(arranged: Arranged, table: number, frame: number): FrameDescription {
  const frames = arranged.tables[table]!;
  const { base_scale: baseScale, candidate_scale: candidateScale } = arranged.basis;
  return {
    name: nameOfFrame(arranged, table, frame),
    category: arranged.header.categories[frames.category[frame]!] ?? '',
    attributedCaller: attributedCallerOf(arranged, table, frame),
    change: changeOf(frames.state[frame]!),
    baseSelf: frames.baseSelf[frame]! * baseScale,
    baseTotal: frames.baseTotal[frame]! * baseScale,
    candidateSelf: frames.candidateSelf[frame]! * candidateScale,
    candidateTotal: frames.candidateTotal[frame]! * candidateScale,
    low: frames.low[frame]!,
    high: frames.high[frame]!,
    q: frames.q[frame]!,
    stacks: frames.stacks[frame]!,
    joined:
      frames.source[frame] === NO_NODE &&
      Number.isNaN(frames.q[frame]) &&
      Number.isNaN(frames.low[frame]),
    depth: levelOf(frames, frame),
  };
}

export type SideRow = { self: string; total: string; share: string };

/** The lines of the tooltip. */
export type Lines = {
  described: FrameDescription;
  base: SideRow;
  candidate: SideRow;
  change: ChangeText;
  unit: UnitOf;
  /** Set for collapsed callers; the values are those of the first. */
  collapsed: CollapsedLabel | null;
};

function sideRow(self: number, total: number, whole: number, unit: UnitOf): SideRow {
  const value = (shown: number): string => (shown === 0 ? '–' : formatValue(shown, unit));
  return {
    self: value(self),
    total: value(total),
    share: whole > 0 ? formatShare(total / whole) : '–',
  };
}

export function frameLines(arranged: Arranged, table: number, frame: number): Lines {
  const described = describeFrame(arranged, table, frame);
  const unit = unitOf(arranged.basis.unit);
  const { base, candidate } = wholeShown(arranged);
  return {
    described,
    base: sideRow(described.baseSelf, described.baseTotal, base, unit),
    candidate: sideRow(described.candidateSelf, described.candidateTotal, candidate, unit),
    change: describeChange(
      described.change,
      { ...described, base: described.baseTotal, candidate: described.candidateTotal },
      unit,
      arranged.header.sample_type.type,
    ),
    unit,
    collapsed: collapsedLabel(arranged, table, frame),
  };
}

/** Returns the totals of the whole data: shares refer to them, also if only a part is shown. */
function wholeShown(arranged: Arranged): { base: number; candidate: number } {
  const { header, basis, tables } = arranged;
  const raw = {
    base: header.base.total_raw || tables[0]!.baseTotal[0]!,
    candidate: header.candidate.total_raw || tables[0]!.candidateTotal[0]!,
  };
  return { base: raw.base * basis.base_scale, candidate: raw.candidate * basis.candidate_scale };
}

type RestLines = { title: string; detail: string; base: string; candidate: string };

export function restLines(arranged: Arranged, side: number, table: number, rest: Rest): RestLines {
  const described = describeCollapsedFrames(
    arranged.tables[table]!,
    arranged.sides[side]!.placements[table]!,
    rest,
  );
  const unit = unitOf(arranged.basis.unit);
  const frames = `${formatCount(described.frames)} ${described.frames === 1 ? 'frame' : 'frames'}`;
  return {
    title: described.sent ? `${frames} too narrow, combined` : `${frames} not loaded yet`,
    detail: `below ${visibleName(nameOfFrame(arranged, table, rest.parent))}`,
    base: formatValue(described.base * arranged.basis.base_scale, unit),
    candidate: formatValue(described.candidate * arranged.basis.candidate_scale, unit),
  };
}

/** Returns the label of the root: "all · base 2.18 ms · candidate 2.88 ms per request". */
export function rootLabel(arranged: Arranged, side: number, table: number): string {
  const frames = arranged.tables[table]!;
  const unit = unitOf(arranged.basis.unit);
  const name = visibleName(nameOfFrame(arranged, table, 0), 80);
  const base = formatValue(frames.baseTotal[0]! * arranged.basis.base_scale, unit);
  const candidate = formatValue(frames.candidateTotal[0]! * arranged.basis.candidate_scale, unit);
  const per = normalizationPhrase(unit);
  const shown = arranged.sides[side]!.side;
  const values = isOneSided(arranged.header)
    ? [candidate]
    : [
        shown === 'candidate' ? '' : `base ${base}`,
        shown === 'base' ? '' : `candidate ${candidate}`,
      ];
  return `${[name, ...values].filter((part) => part !== '').join(' · ')}${per === '' ? '' : ` ${per}`}`;
}

/** Describes the focused frame for screen readers. */
export function describeFrameAloud(
  arranged: Arranged,
  table: number,
  frame: number,
  categoryLabel: (id: string) => string,
): string {
  const { described, base, candidate, change } = frameLines(arranged, table, frame);
  const frames = arranged.tables[table]!;
  const children = frames.childStart[frame + 1]! - frames.childStart[frame]!;
  const category = described.category === '' ? '' : `${categoryLabel(described.category)}. `;
  const collapsed = collapsedLabel(arranged, table, frame);
  const name =
    collapsed === null
      ? visibleName(described.name)
      : `${collapsed.words}, ${collapsed.names}, Enter expands`;
  const place = `Level ${described.depth}, ${children} ${children === 1 ? 'child' : 'children'}.`;
  if (isOneSided(arranged.header)) {
    const values = `self ${candidate.self}, total ${candidate.total} ${change.per}`.trim();
    return `${visibleName(described.name)}. ${category}${values}, ${candidate.share}. ${place}`;
  }
  return (
    `${name}. ${category}${change.words}: base ${base.total}, candidate ${candidate.total} ${change.per}, ` +
    `${change.delta}. ${change.ratio.replace('×', 'times ')}${change.sure === '' ? '' : `, ${change.sure}`}. ${place}`
  );
}

/** Returns the name and the kind of the frame that a menu is for. */
export function menuSubject(
  arranged: Arranged,
  { table, frame }: { table: number; frame: number },
): { name: string; frame: 'root' | 'collapsed' | 'usual' } {
  const collapsed = collapsedLabel(arranged, table, frame);
  if (collapsed !== null) return { name: collapsed.words, frame: 'collapsed' };
  return { name: nameOfFrame(arranged, table, frame), frame: frame === 0 ? 'root' : 'usual' };
}
