/** Colors for canvases: the values of CSS variables, read again when the color scheme changes. */
import { useEffect, useState, type RefObject } from 'react';
import { onSchemeChange } from '../flame/flame-palette';

const NAMES = [
  'bg',
  'surface',
  'text',
  'text-2',
  'muted',
  'accent',
  'on-accent',
  'more',
  'more-text',
  'less',
  'noise',
  'noise-line',
  'control',
  'm1',
  'm2',
  'm3',
  'c2',
  'c3',
  'c5',
  'q1',
  'q2',
  'q3',
  'p-mean',
  'base-line',
  'cand-line',
  'grid',
  'axis',
  'err',
  'warn-mark',
  'font-ui',
  'font-code',
] as const;
export type TokenName = (typeof NAMES)[number];
export type Tokens = Record<TokenName, string>;

/** Gray for a missing variable, so that a test page without our style sheet can draw. */
const OTHERWISE = '#6b6862';

function readTokens(element: Element): Tokens {
  const style = getComputedStyle(element);
  const entries = NAMES.map((name) => [
    name,
    style.getPropertyValue(`--${name}`).trim() || OTHERWISE,
  ]);
  return Object.fromEntries(entries) as Tokens;
}

/** Returns the tokens at an element; null until they are read. */
export function useTokens(host: RefObject<Element | null>): Tokens | null {
  const [tokens, setTokens] = useState<Tokens | null>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const read = () => {
      const now = readTokens(element);
      setTokens((before) => (JSON.stringify(before) === JSON.stringify(now) ? before : now));
    };
    read();
    return onSchemeChange(read);
  }, [host]);
  return tokens;
}

/** Returns the width that a drawing has; `otherwise` until it is known. */
export function useWidth(host: RefObject<HTMLElement | null>, otherwise: number): number {
  const [width, setWidth] = useState(otherwise);
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const measure = () => {
      if (element.clientWidth > 0) setWidth(element.clientWidth);
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [host]);
  return width;
}
