/**
 * The entries of the command palette: recent objects and actions before a text is entered, then the
 * matches of the text.
 */
import type { SearchMatchOut, SearchOut } from '../../../api';
import type { RecentObject } from './recent-objects';
import { textSimilarity } from './word-similarity';

export type PaletteAction = {
  group: string;
  title: string;
  /** Further words by which the action is found. */
  keywords?: string;
  run: () => void;
};

export type PaletteEntry =
  | { kind: 'action'; title: string; subtitle: string; action: PaletteAction }
  | { kind: 'object'; title: string; subtitle: string; object: RecentObject };
export type PaletteGroup = { name: string; entries: PaletteEntry[] };

const MOST_ACTIONS = 6;

const GROUP_NAMES: Record<SearchMatchOut['type'], string> = {
  service: 'Services',
  'production-event': 'Production events',
  regression: 'Regressions',
  build: 'Builds',
  commit: 'Commits',
  comparison: 'Comparisons',
  bisect: 'Bisects',
  report: 'Reports',
  function: 'Functions',
  artifact: 'Artifacts',
};

const ofAction = (action: PaletteAction): PaletteEntry => ({
  kind: 'action',
  title: action.title,
  subtitle: '',
  action,
});
const ofObject = (object: RecentObject): PaletteEntry => ({
  kind: 'object',
  title: object.title,
  subtitle: object.subtitle,
  object,
});

const nameOf = ({ group, title, keywords = '' }: PaletteAction) => `${group} ${title} ${keywords}`;

/**
 * Returns the actions whose names contain all words; first those in which each of the words begins
 * a word.
 */
function matchingActions(actions: readonly PaletteAction[], text: string): PaletteAction[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const names = new Map(actions.map((action) => [action, nameOf(action).toLowerCase()]));
  const found = actions.filter((action) =>
    words.every((word) => names.get(action)?.includes(word)),
  );
  const beginsWord = (action: PaletteAction) =>
    words.every((word) => ` ${names.get(action)}`.includes(` ${word}`));
  return [...found.filter(beginsWord), ...found.filter((action) => !beginsWord(action))];
}

/** Returns the actions with words that are similar to all words, the most similar first. */
const similarActions = (actions: readonly PaletteAction[], text: string): PaletteAction[] =>
  actions
    .map((action) => ({ action, similarity: textSimilarity(text, nameOf(action)) }))
    .filter(({ similarity }) => similarity > 0)
    .toSorted((a, b) => b.similarity - a.similarity)
    .map(({ action }) => action);

function grouped(actions: readonly PaletteAction[]): PaletteGroup[] {
  const names = [...new Set(actions.map(({ group }) => group))];
  return names.map((name) => ({
    name,
    entries: actions.filter(({ group }) => group === name).map(ofAction),
  }));
}

/**
 * Returns the entries before a text is entered: the objects opened last, and the actions of the
 * first group.
 */
export function startGroups(
  actions: readonly PaletteAction[],
  recent: readonly RecentObject[],
): PaletteGroup[] {
  const first = grouped(actions).slice(0, 1);
  return recent.length > 0 ? [{ name: 'Recent', entries: recent.map(ofObject) }, ...first] : first;
}

const similarityOf = ({ entries }: PaletteGroup, text: string) =>
  Math.max(
    ...entries.map((entry) =>
      textSimilarity(
        text,
        entry.kind === 'action' ? nameOf(entry.action) : `${entry.title} ${entry.subtitle}`,
      ),
    ),
  );

/**
 * Returns the objects and then the actions that contain the text. If there are none, returns those
 * that are similar to it, the most similar group first.
 */
export function foundGroups(
  found: SearchOut | undefined,
  actions: readonly PaletteAction[],
  text: string,
): PaletteGroup[] {
  const objects = (found?.groups ?? []).map(({ type, items }) => ({
    name: GROUP_NAMES[type],
    entries: items.map(ofObject),
  }));
  const matching = grouped(matchingActions(actions, text).slice(0, MOST_ACTIONS));
  if (!found?.is_similar && objects.length > 0) return [...objects, ...matching];
  if (matching.length > 0) return [...matching, ...objects];
  const similar = grouped(similarActions(actions, text).slice(0, MOST_ACTIONS));
  return [...objects, ...similar].toSorted((a, b) => similarityOf(b, text) - similarityOf(a, text));
}
