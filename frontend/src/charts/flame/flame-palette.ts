/** Colors and fonts of the canvas, read from CSS variables: colors are defined only there. */
import { FILL, FILL_COUNT } from '../../engine/format/change-class';

export type Palette = {
  background: string;
  sunken: string;
  text: string;
  muted: string;
  accent: string;
  more: string;
  less: string;
  onMore: string;
  onLess: string;
  noise: string;
  noiseLine: string;
  noiseText: string;
  hatch: string;
  /** By `FILL`: the color of a frame, and the color of the text on it. */
  fill: readonly string[];
  ink: readonly string[];
  fontCode: string;
};

/** Reads the computed variables of an element. */
export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const read = (name: string, otherwise: string): string =>
    style.getPropertyValue(name).trim() || otherwise;
  const text = read('--text', '#1c1b19');
  const noise = read('--noise', '#e4e2dd');
  const noiseText = read('--noise-text', '#4b4843');
  const fill = new Array<string>(FILL_COUNT).fill(noise);
  const ink = new Array<string>(FILL_COUNT).fill(noiseText);
  for (let level = 1; level <= 4; level++) {
    fill[FILL.more + level - 1] = read(`--m${level}`, noise);
    fill[FILL.less + level - 1] = read(`--l${level}`, noise);
    ink[FILL.more + level - 1] = level === 4 ? read('--on-more', text) : text;
    ink[FILL.less + level - 1] = level === 4 ? read('--on-less', text) : text;
  }
  fill[FILL.moreInCallees] = read('--m1', noise);
  fill[FILL.lessInCallees] = read('--l1', noise);
  ink[FILL.moreInCallees] = text;
  ink[FILL.lessInCallees] = text;
  fill[FILL.onlyCandidate] = read('--m1', noise);
  ink[FILL.onlyCandidate] = text;
  fill[FILL.onlyBase] = read('--bg', '#fbfbfa');
  ink[FILL.onlyBase] = read('--text-2', text);
  fill[FILL.plainRuntime] = read('--noise-line', noise);
  fill[FILL.plainSelected] = read('--q1', noise);
  ink[FILL.plainSelected] = text;
  return {
    background: read('--bg', '#fbfbfa'),
    sunken: read('--sunken', '#f4f3f1'),
    text,
    muted: read('--muted', '#6b6862'),
    accent: read('--accent', '#4c5fd5'),
    more: read('--more', '#c8511b'),
    less: read('--less', '#1f6fb2'),
    onMore: read('--on-more', '#ffffff'),
    onLess: read('--on-less', '#ffffff'),
    noise,
    noiseLine: read('--noise-line', '#cdcac3'),
    noiseText,
    hatch: read('--m3', '#eda47d'),
    fill,
    ink,
    fontCode: read('--font-code', 'monospace'),
  };
}

/** Calls back if the color scheme of page or system may have changed. Returns a stop function. */
export function onSchemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true });
  const system =
    typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : null;
  system?.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    system?.removeEventListener('change', changed);
  };
}
