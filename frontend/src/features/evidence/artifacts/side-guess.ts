/**
 * Guesses from the names of dropped files which belong to the base and which to the candidate. The
 * drawer marks the result as a guess, and the user can change it.
 */
export type SideName = 'base' | 'candidate';

type Named = {
  /** The file name with the folders it was dropped in: "old/cpu-1.pb.gz". */
  path: string;
  /** Milliseconds since 1970, from the file system. */
  modified: number;
  /** The number of the file's drop, from 0. */
  drop?: number;
};

type Guess = {
  /** One side for each file, in order; null = neither. */
  sides: (SideName | null)[];
  labels: Record<SideName, string>;
  /** The reason, as text for the drawer; '' if nothing was guessed. */
  reason: string;
};

const BASE_NAMES = new Set([
  'base',
  'baseline',
  'before',
  'old',
  'good',
  'control',
  'reference',
  'ref',
  'main',
  'master',
  'prev',
  'previous',
  'stable',
]);
const CANDIDATE_NAMES = new Set([
  'candidate',
  'cand',
  'after',
  'new',
  'bad',
  'canary',
  'next',
  'head',
  'pr',
  'feature',
  'test',
  'slow',
]);
/** Words that name the type of a file, not its side. */
const KIND_WORDS = new Set([
  'cpu',
  'heap',
  'allocs',
  'alloc',
  'mutex',
  'block',
  'goroutine',
  'profile',
  'prof',
  'trace',
  'growth',
  'pprof',
  'pb',
  'gz',
  'out',
  'txt',
  'json',
  'zst',
  'samples',
]);

const COMMIT = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}$/;
const VERSION = /^v?\d+(\.\d+)+$/;
const NUMBER = /^\d+$/;

/** Splits a path into words at all separators of file names; versions stay whole. */
function wordsOf(path: string): string[] {
  return path
    .toLowerCase()
    .split(/[/\\_\s+]|-(?=[^-])|\.(?=[a-z])/u)
    .filter((word) => word !== '');
}

type Split = { groups: Map<string, number[]>; reason: string };

function splitBy(
  files: Named[],
  keyOf: (file: Named) => string | undefined,
): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  files.forEach((file, index) => {
    const key = keyOf(file);
    if (key === undefined) return;
    groups.set(key, [...(groups.get(key) ?? []), index]);
  });
  return groups;
}

const folderOf = (file: Named): string | undefined => {
  const folders = file.path.split('/').slice(0, -1);
  return folders.length > 0 ? folders.join('/') : undefined;
};

const commitOf = (file: Named): string | undefined =>
  wordsOf(file.path).find((word) => COMMIT.test(word));
const versionOf = (file: Named): string | undefined =>
  wordsOf(file.path).find((word) => VERSION.test(word));

/**
 * Groups files at the first position of their names that has exactly two words, ignoring words for
 * types and numbers.
 */
function wordSplit(files: Named[]): Map<string, number[]> | null {
  const names = files.map(({ path }) =>
    wordsOf(path).filter((word) => !KIND_WORDS.has(word) && !NUMBER.test(word)),
  );
  const longest = Math.max(0, ...names.map((words) => words.length));
  for (let place = 0; place < longest; place++) {
    const groups = new Map<string, number[]>();
    names.forEach((words, index) => {
      const word = (words[place] ?? '').replace(/\d+$/u, '');
      groups.set(word, [...(groups.get(word) ?? []), index]);
    });
    if (groups.size === 2) return labelled(groups, (index) => names[index]?.[place] ?? '');
  }
  return null;
}

/** Labels each group: with "plus10" instead of "plus" if all its files have that word. */
function labelled(
  groups: Map<string, number[]>,
  wordOf: (index: number) => string,
): Map<string, number[]> {
  return new Map(
    [...groups].map(([key, group]) => {
      const words = new Set(group.map(wordOf));
      return [words.size === 1 ? ([...words][0] ?? key) : key, group];
    }),
  );
}

function wordedSide(file: Named): SideName | undefined {
  const words = wordsOf(file.path);
  if (words.some((word) => BASE_NAMES.has(word))) return 'base';
  return words.some((word) => CANDIDATE_NAMES.has(word)) ? 'candidate' : undefined;
}

function bestSplit(files: Named[]): Split | null {
  const commits = splitBy(files, commitOf);
  if (commits.size >= 2)
    return { groups: commits, reason: 'guessed from the commits in the names' };
  const versions = splitBy(files, versionOf);
  if (versions.size >= 2)
    return { groups: versions, reason: 'guessed from the versions in the names' };
  const folders = splitBy(files, folderOf);
  if (folders.size >= 2) return { groups: folders, reason: 'guessed from the folders' };
  const words = wordSplit(files);
  return words ? { groups: words, reason: 'guessed from file names' } : dropSplit(files);
}

/** Groups files by drop: a later drop with the same names is a second batch of a recording. */
function dropSplit(files: Named[]): Split | null {
  const drops = splitBy(files, ({ drop }) => (drop === undefined ? undefined : String(drop)));
  const [first, second] = [...drops.values()].map(
    (group) => new Set(group.map((index) => files[index]?.path)),
  );
  if (!first || !second || ![...second].some((path) => first.has(path))) return null;
  const groups = new Map([...drops].map(([drop, group]) => [`batch ${Number(drop) + 1}`, group]));
  return { groups, reason: 'guessed from the order of the uploads' };
}

const mean = (values: number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const natural = new Intl.Collator('en', { numeric: true });

/** Orders two groups by version, by batch, by time if more than a minute apart, or by name. */
function earlier(
  files: Named[],
  [nameA, a]: [string, number[]],
  [nameB, b]: [string, number[]],
): number {
  if (VERSION.test(nameA) && VERSION.test(nameB)) return natural.compare(nameA, nameB);
  const drop = (group: number[]) => files[group[0] ?? 0]?.drop ?? 0;
  if (nameA.startsWith('batch ') && nameB.startsWith('batch ')) return drop(a) - drop(b);
  const time = (group: number[]) => mean(group.map((index) => files[index]?.modified ?? 0));
  const apart = time(a) - time(b);
  if (Math.abs(apart) > 60_000) return apart;
  // A commit is not a number, even if it starts with digits: its order is arbitrary but stable.
  if (COMMIT.test(nameA) && COMMIT.test(nameB)) return nameA < nameB ? -1 : 1;
  return natural.compare(nameA, nameB);
}

/** The largest share of files whose names may show no side, if the names of all others do. */
const MOST_SILENT = 0.2;

const lastFolder = (name: string): string => name.split('/').pop() ?? name;

export function guessSides(files: Named[]): Guess {
  const nothing: Guess = {
    sides: files.map(() => 'base'),
    labels: { base: '', candidate: '' },
    reason: '',
  };
  if (files.length < 2) return nothing;

  // The names decide if nearly all show a side; the few others belong to neither. One "bad.pb.gz"
  // among many files shows nothing about the others.
  const worded = files.map(wordedSide);
  const byName: Guess = {
    sides: worded.map((side) => side ?? null),
    labels: { base: '', candidate: '' },
    reason: 'guessed from file names',
  };
  const both = worded.includes('base') && worded.includes('candidate');
  const silent = worded.filter((side) => side === undefined).length;
  if (both && silent <= files.length * MOST_SILENT) return byName;

  const split = bestSplit(files);
  if (!split) {
    if (both) return byName;
    if (files.length !== 2) return nothing;
    const order = [0, 1].sort((a, b) =>
      earlier(files, [files[a]?.path ?? '', [a]], [files[b]?.path ?? '', [b]]),
    );
    return {
      ...nothing,
      sides: order[0] === 0 ? ['base', 'candidate'] : ['candidate', 'base'],
      reason: 'guessed from time and name',
    };
  }
  // A word on one side only ("baseline/" beside "9c41e0a/") still shows the side of that group.
  const namedSide = (group: number[]) =>
    group.map((index) => worded[index]).find((side) => side !== undefined);
  const ordered = [...split.groups].sort((a, b) => {
    const [sideA, sideB] = [namedSide(a[1]), namedSide(b[1])];
    if (sideA === 'base' || sideB === 'candidate')
      return sideB === 'base' || sideA === 'candidate' ? 0 : -1;
    if (sideB === 'base' || sideA === 'candidate') return 1;
    return earlier(files, a, b);
  });
  const [base, candidate] = ordered;
  const sides = files.map((_, index): SideName | null => {
    if (base?.[1].includes(index)) return 'base';
    return candidate?.[1].includes(index) ? 'candidate' : null;
  });
  const labelOf = (group: [string, number[]] | undefined, side: SideName) => {
    const label = lastFolder(group?.[0] ?? '');
    return label === side ? '' : label;
  };
  return {
    sides,
    labels: { base: labelOf(base, 'base'), candidate: labelOf(candidate, 'candidate') },
    reason: split.reason,
  };
}
