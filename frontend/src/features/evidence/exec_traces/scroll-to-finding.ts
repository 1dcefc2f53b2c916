/** Scrolls to the target of a finding and focuses it, for keyboards and screen readers. */
import { useEffect, type RefObject } from 'react';

/** The target of a finding: the GC, blocked time, or a waiter. Each new object scrolls again. */
export type FindingTarget = { to: 'gc' } | { to: 'blocked' } | { to: 'waiter'; waiter: string };

/** For this time, the target is scrolled to again as charts load, unless the user scrolls. */
const SETTLING_MS = 1500;
const HANDS_ON = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

type Place = { element: HTMLElement | null; block: ScrollLogicalPosition };

/**
 * Scrolls to the target of a finding, once.
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
    // The sections of the GC and of blocked time are far below. A waiter's panel is just below the
    // findings, which stay visible as far as possible.
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
