/** The actions on a frame, as changes of the view. */
import type { ReactNode } from 'react';
import type { FlameView } from '../../engine/flame/flame-view';
import { exactly } from '../../engine/flame/name-pattern';

type MenuEntry = { id: string; words: string; act: () => void };

export type FrameActions = {
  zoom: () => void;
  change: (change: Partial<FlameView>) => void;
  copy: (name: string) => void;
  listLines: ((name: string) => void) | undefined;
  showAssembly?: ((name: string) => void) | undefined;
  /** Returns a further entry: an element with the role `menuitem`, or nothing. */
  link?: ((name: string) => ReactNode) | undefined;
};

/** Combines two patterns into one that matches either. */
function either(one: string, other: string): string {
  return one === '' ? other : `${one}|${other}`;
}

/** Filters change the tree, so a zoom of the old tree has no meaning in the new one. */
const WHOLE = { zoom: '', span: null } as const;

const ZOOM_WORDS = {
  root: 'Show everything',
  collapsed: 'Expand these callers',
  usual: 'Zoom to this frame',
} as const;

export function menuEntries(
  view: FlameView,
  name: string,
  frame: 'root' | 'collapsed' | 'usual',
  actions: FrameActions,
): MenuEntry[] {
  const pattern = exactly(name);
  const { change } = actions;
  const zoom: MenuEntry = {
    id: 'zoom',
    words: ZOOM_WORDS[frame],
    act: actions.zoom,
  };
  if (frame === 'root') return [zoom];
  if (frame === 'collapsed') {
    const all = { collapseCallers: false, expanded: '' };
    return [zoom, { id: 'expand-all', words: 'Expand all callers', act: () => change(all) }];
  }
  const entries: MenuEntry[] = [
    zoom,
    {
      id: 'callers',
      words: 'Callers and callees',
      act: () => change({ ...WHOLE, sandwich: name }),
    },
    {
      id: 'focus',
      words: 'Focus: only stacks containing this',
      act: () => change({ ...WHOLE, focus: pattern }),
    },
    {
      id: 'ignore',
      words: 'Ignore: exclude stacks containing this',
      act: () => change({ ...WHOLE, ignore: either(view.ignore, pattern) }),
    },
    {
      id: 'hide',
      words: 'Hide: attribute to its callers',
      act: () => change({ ...WHOLE, hide: either(view.hide, pattern) }),
    },
    {
      id: 'search',
      words: 'Highlight all occurrences',
      act: () => change({ search: { pattern, regex: true, caseSensitive: true } }),
    },
  ];
  const { listLines, showAssembly } = actions;
  if (listLines !== undefined)
    entries.push({
      id: 'lines',
      words: 'Show lines',
      act: () => listLines(name),
    });
  if (showAssembly !== undefined)
    entries.push({ id: 'assembly', words: 'Assembly', act: () => showAssembly(name) });
  entries.push({
    id: 'copy',
    words: 'Copy name',
    act: () => actions.copy(name),
  });
  return entries;
}

type Chip = { id: string; words: string; value: string; without: Partial<FlameView> };

/** Returns the active filters, each with the change of the view that removes it. */
export function chipsOf(view: FlameView): Chip[] {
  const chips: Chip[] = [];
  if (view.sandwich !== '')
    chips.push({
      id: 'sandwich',
      words: 'callers and callees of',
      value: view.sandwich,
      without: { ...WHOLE, sandwich: '' },
    });
  if (view.focus !== '')
    chips.push({
      id: 'focus',
      words: 'focus',
      value: view.focus,
      without: { ...WHOLE, focus: '' },
    });
  if (view.ignore !== '')
    chips.push({
      id: 'ignore',
      words: 'ignore',
      value: view.ignore,
      without: { ...WHOLE, ignore: '' },
    });
  if (view.hide !== '')
    chips.push({ id: 'hide', words: 'hide', value: view.hide, without: { ...WHOLE, hide: '' } });
  if (view.collapseRecursion) {
    chips.push({
      id: 'collapse',
      words: 'recursion collapsed',
      value: '',
      without: { ...WHOLE, collapseRecursion: false },
    });
  }
  return chips;
}
