/** Coming from a finding to what it is about: scrolled into sight, and the focus moved there for keyboards and readers. */
import { useEffect, type RefObject } from 'react';

/** Where a finding leads: to the GC, to blocked time, or to the panels of its waiter. A new object is a new way there. */
export type FindingTarget = { to: 'gc' } | { to: 'blocked' } | { to: 'waiter'; waiter: string };

/** Charts above come when their code has come; until then the section stays in view, unless the user scrolls. */
const SETTLING_MS = 1500;
const HANDS_ON = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

type Place = { element: HTMLElement | null; block: ScrollLogicalPosition };

/**
 * Goes where a finding leads, once.
 *
 * @param ready false while the page still shows something else than what is meant.
 */
export function useScrollToFinding(
  arrival: FindingTarget | null,
  ready: boolean,
  panels: Record<FindingTarget['to'], RefObject<HTMLElement | null>>,
  onArrived: () => void,
): void {
  useEffect(() => {
    if (!arrival || !ready) return;
    // The sections of the GC and of blocked time are far below; a waiter panel is below the findings, which stay in view as far as possible.
    const element = panels[arrival.to].current;
    settleAt({ element, block: arrival.to === 'waiter' ? 'nearest' : 'start' });
    element?.focus({ preventScroll: true });
    onArrived();
  });
}

function settleAt({ element, block }: Place): void {
  if (!element) return;
  const show = () => element.scrollIntoView({ block });
  show();
  const watcher = new ResizeObserver(show);
  const done = new AbortController();
  const stop = () => {
    watcher.disconnect();
    done.abort();
  };
  watcher.observe(document.body);
  for (const hand of HANDS_ON) {
    window.addEventListener(hand, stop, { signal: done.signal, passive: true, capture: true });
  }
  setTimeout(stop, SETTLING_MS);
}
