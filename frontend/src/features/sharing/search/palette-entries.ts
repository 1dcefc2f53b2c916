/** What the palette lists: recent objects and actions before a text is entered, then what it finds. */
import type { SearchMatchOut, SearchOut } from '../../../api';
import type { RecentObject } from './recent-objects';

export type PaletteAction = {
  group: string;
  title: string;
  /** Other words that find it. */
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

function matchingActions(actions: readonly PaletteAction[], text: string): PaletteAction[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  return actions.filter(({ group, title, keywords = '' }) => {
    const named = `${group} ${title} ${keywords}`.toLowerCase();
    return words.every((word) => named.includes(word));
  });
}

function grouped(actions: readonly PaletteAction[]): PaletteGroup[] {
  const names = [...new Set(actions.map(({ group }) => group))];
  return names.map((name) => ({
    name,
    entries: actions.filter(({ group }) => group === name).map(ofAction),
  }));
}

/** Before a text is entered: what was opened last, and the actions of the first group. */
export function startGroups(
  actions: readonly PaletteAction[],
  recent: readonly RecentObject[],
): PaletteGroup[] {
  const first = grouped(actions).slice(0, 1);
  return recent.length > 0 ? [{ name: 'Recent', entries: recent.map(ofObject) }, ...first] : first;
}

export function foundGroups(
  found: SearchOut | undefined,
  actions: readonly PaletteAction[],
  text: string,
): PaletteGroup[] {
  const objects = (found?.groups ?? []).map(({ type, items }) => ({
    name: GROUP_NAMES[type],
    entries: items.map(ofObject),
  }));
  return [...objects, ...grouped(matchingActions(actions, text).slice(0, MOST_ACTIONS))];
}
