/**
 * The button of the top bar that opens the command palette, as do Ctrl+K, Cmd+K and `/`. `?` lists
 * the shortcuts of the page.
 */
import { Suspense, lazy, useEffect, useState } from 'react';
import type { TeamMembership } from '../api';
import { ShortcutsDialog } from '../features/sharing/search';
import classes from './SearchButton.module.css';

const Palette = lazy(async () => ({ default: (await import('./Palette')).Palette }));

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest('input, textarea, select, [role="dialog"]') !== null);

type Opened = 'palette' | 'shortcuts' | null;

/**
 * Handles the keyboard shortcuts. Ctrl+K and Cmd+K also work in fields. The timeout lets a page
 * that handles `?` prevent this one, in whatever order the listeners were added.
 */
function useSearchKeys(setOpened: (next: (now: Opened) => Opened) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') {
        event.preventDefault();
        setOpened((now) => (now === 'palette' ? null : 'palette'));
      } else if (key === '/' && !ctrlKey && !metaKey && !isTyping(event.target)) {
        event.preventDefault();
        setOpened(() => 'palette');
      } else if (key === '?' && !isTyping(event.target)) {
        setTimeout(() => {
          if (!event.defaultPrevented) setOpened(() => 'shortcuts');
        });
      }
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [setOpened]);
}

export function SearchButton({ team }: { team: TeamMembership }) {
  const [opened, setOpened] = useState<Opened>(null);
  const [showShortcuts] = useState(() => () => setOpened('shortcuts'));
  const close = () => setOpened(null);
  useSearchKeys(setOpened);
  return (
    <>
      <button
        type="button"
        className={classes.field}
        aria-haspopup="dialog"
        aria-label="Search and commands"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpened('palette')}
      >
        <svg
          aria-hidden
          viewBox="0 0 16 16"
          width="14"
          height="14"
          fill="none"
          stroke="currentColor"
        >
          <circle cx="7" cy="7" r="4.5" strokeWidth="1.4" />
          <path d="m10.5 10.5 3.5 3.5" strokeWidth="1.4" />
        </svg>
        <span className={classes.words}>Search or command</span>
        <kbd className={classes.words}>Ctrl K</kbd>
      </button>
      <Suspense fallback={null}>
        {opened === 'palette' && (
          <Palette team={team} onClose={close} onShowShortcuts={showShortcuts} />
        )}
        {opened === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      </Suspense>
    </>
  );
}
