/** Colours of the page as a canvas needs them: read from the CSS variables in force, and read again when the scheme changes. */
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

/** Grey ink where a variable is missing: a test page without our style sheet still draws. */
const OTHERWISE = '#6b6862';

function readTokens(element: Element): Tokens {
  const style = getComputedStyle(element);
  const entries = NAMES.map((name) => [
    name,
    style.getPropertyValue(`--${name}`).trim() || OTHERWISE,
  ]);
  return Object.fromEntries(entries) as Tokens;
}

/** The tokens at an element, null before the first look. */
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

/** The width there is for a drawing; `otherwise` until it is known. */
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
