import type { ReactNode } from 'react';
import classes from './SideMarks.module.css';
import { useKeyHint } from './key-hints';

type Side = 'base' | 'candidate';

/** The mark of a side on every page: base is the dashed open square, candidate the filled one. */
export function SideMark({ side, label = false }: { side: Side; label?: boolean }) {
  return (
    <span className={classes.side}>
      <span className={side === 'base' ? classes.base : classes.candidate} aria-hidden />
      {label && <b className={classes.word}>{side}</b>}
    </span>
  );
}

/** Shows keys and what they do, and adds them to the list of shortcuts. */
export function KeyHint({ keys, children }: { keys: string[]; children: string }) {
  useKeyHint(keys, children);
  return (
    <span className={classes.keys}>
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}{' '}
      {children}
    </span>
  );
}

export function CaveatIcon() {
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden className={classes.glyph}>
      <path
        d="M6 1L11.4 11H.6Z"
        fill="none"
        stroke="var(--warn-mark)"
        strokeWidth="1.3"
        strokeLinejoin="round"
      />
      <path d="M6 4.6v3M6 8.6v1" stroke="var(--warn-mark)" strokeWidth="1.3" />
    </svg>
  );
}

const glyphs = {
  waiting: (
    <circle
      cx="6"
      cy="6"
      r="4.2"
      fill="none"
      stroke="var(--control)"
      strokeWidth="1.5"
      strokeDasharray="2.2 1.8"
    />
  ),
  running: (
    <>
      <circle cx="6" cy="6" r="4.2" fill="none" stroke="var(--accent)" strokeWidth="1.6" />
      <path d="M6 1.8a4.2 4.2 0 0 1 0 8.4z" fill="var(--accent)" />
    </>
  ),
  done: (
    <>
      <circle cx="6" cy="6" r="4.2" fill="none" stroke="var(--ok)" strokeWidth="1.6" />
      <path d="M3.9 6.1l1.5 1.5 2.8-3" fill="none" stroke="var(--ok)" strokeWidth="1.5" />
    </>
  ),
  failed: (
    <>
      <circle cx="6" cy="6" r="4.2" fill="none" stroke="var(--err)" strokeWidth="1.6" />
      <path d="M4.4 4.4l3.2 3.2M7.6 4.4L4.4 7.6" stroke="var(--err)" strokeWidth="1.4" />
    </>
  ),
  ended: (
    <>
      <circle cx="6" cy="6" r="4.2" fill="none" stroke="var(--control)" strokeWidth="1.5" />
      <path d="M3.2 8.8l5.6-5.6" stroke="var(--control)" strokeWidth="1.5" />
    </>
  ),
  more: <circle cx="6" cy="6" r="4.2" fill="var(--more)" />,
  less: <circle cx="6" cy="6" r="4.2" fill="var(--less)" />,
  both: (
    <>
      <path d="M6 1.8a4.2 4.2 0 0 0 0 8.4z" fill="var(--more)" />
      <path d="M6 1.8a4.2 4.2 0 0 1 0 8.4z" fill="var(--less)" />
    </>
  ),
  same: <path d="M2 6h8" stroke="var(--control)" strokeWidth="1.6" />,
  unsure: <circle cx="6" cy="6" r="4.2" fill="none" stroke="var(--control)" strokeWidth="1.6" />,
} as const;

export type Glyph = keyof typeof glyphs;

/** Shows a state as a 12 px icon and a word. The word alone is enough to understand it. */
export function StateIcon({ glyph, children }: { glyph: Glyph; children: ReactNode }) {
  return (
    <span className={classes.state}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden className={classes.glyph}>
        {glyphs[glyph]}
      </svg>
      {children}
    </span>
  );
}
