/**
 * Texts on the compiler: the grade of a statement, and settings that may explain all differences.
 * No side effects.
 */
import type { CompilerFinding, CompilerReason, CompilerSection, StackPath } from '../../../../api';
import { shortName } from '../shared/comparison-wording';

const GRADES: Record<CompilerFinding['grade'], string> = {
  binary: 'binary proves',
  predicted: 'predicted',
  possible: 'possible',
  information: 'information',
};

export function gradeText({ grade, is_exact: exact }: CompilerFinding): string {
  return exact ? `${GRADES[grade]}, exact` : GRADES[grade];
}

/** Returns the first statement that explains a finding of the comparison. */
export function explanationOf(
  section: CompilerSection | null | undefined,
  finding: number,
): CompilerFinding | undefined {
  return section?.findings.find(({ explains }) => explains === finding);
}

/**
 * Returns the statements beside a finding: those that explain it, then those that explain no
 * finding.
 */
export function statementsFor(section: CompilerSection, finding: number): CompilerFinding[] {
  const of = (index: number | null) => section.findings.filter((each) => each.explains === index);
  return [...of(finding), ...of(null)];
}

/** Returns the name of a function without its type arguments, which differ by instance. */
export function foldTypeArguments(name: string): string {
  let depth = 0;
  let folded = '';
  for (const each of name) {
    if (each === '[') folded += depth++ === 0 ? '[...]' : '';
    else if (each === ']') depth = Math.max(depth - 1, 0);
    else if (depth === 0) folded += each;
  }
  return folded;
}

/**
 * Returns the reasons of the compiler for the functions of these statements, and those for whole
 * builds.
 */
export function reasonsFor(
  statements: CompilerFinding[],
  reasons: CompilerReason[],
): CompilerReason[] {
  const named = new Set(
    statements.flatMap((each) => [each.function, each.callee ?? '']).map(foldTypeArguments),
  );
  return reasons.filter(({ function: name }) => name === '' || named.has(foldTypeArguments(name)));
}

/** Returns the short names of the functions that a statement and its advice may name. */
export function namesIn(section: CompilerSection, statement: CompilerFinding): string[] {
  const { function: name, callee, path } = statement;
  const stack = section.paths[path ?? -1]?.stack ?? [];
  return [name, callee ?? name, ...stack].map(shortName);
}

export function differenceText(difference: CompilerSection['differences'][number]): string {
  const { setting, base, candidate } = difference;
  const values = `${setting}: ${base || 'unset'} in base, ${candidate || 'unset'} in candidate.`;
  return setting === '-pgo'
    ? `${values} It may be the reason where a function inlines or calls others than before.`
    : `${values} It may be the reason for every difference below.`;
}

/** Returns the place of a reason: for whole builds a file without a line. */
export const placeText = ({ file, line }: Pick<CompilerReason, 'file' | 'line'>): string =>
  line > 0 ? `${file}:${line}` : file;

export const otherBuildText = (side: string): string =>
  `The profiles of the ${side} have another build ID than its executable. The statements below hold as far as both are of the same code: upload the program that was profiled.`;

export const addressedText = (sides: readonly string[]): string =>
  `Stacks of the ${sides.join(' and the ')} are followed by the addresses in the profiles.`;

type DepthBar = {
  side: 'base' | 'candidate';
  depth: number;
  /** A share of the width, 0 to 1. */
  width: number;
  beyond: number;
  note: string;
};

/** Leaves space to the right of the deepest bar for its note. */
const SCALE = 1.25;

/**
 * Returns the bars of the depths of a path in both builds, and the depth in bytes from which a call
 * does not fit.
 */
export function depthBars(path: StackPath, edge: number): { bars: DepthBar[]; edge: number } {
  const depths = [path.base.highest_depth_bytes, path.candidate.highest_depth_bytes] as const;
  const scale = Math.max(edge, ...depths) * SCALE;
  const bars = (['base', 'candidate'] as const).map((side, index) => {
    const depth = depths[index] ?? 0;
    const over = depth - edge;
    const note =
      over < 0
        ? `${formatBytes(-over)} free`
        : over === 0
          ? 'no room'
          : `${formatBytes(over)} over`;
    return {
      side,
      depth,
      width: Math.min(depth, edge) / scale,
      beyond: Math.max(0, over) / scale,
      note,
    };
  });
  return { bars, edge: edge / scale };
}

export const formatBytes = (bytes: number): string => bytes.toLocaleString('en-US');
