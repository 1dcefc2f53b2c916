/** What opens at a button and is loaded when that is first pressed: menus and popovers weigh more than many a page. */
import { Suspense, useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';

type LazyPopoverProps = {
  /** The button until the rest is there; it looks like the one that comes with it. */
  button: (onPress: () => void) => ReactNode;
  /** Made by `lazy`; its button takes the ref of `usePressed`. */
  children: ReactNode;
};

export function LazyPopover({ button, children }: LazyPopoverProps) {
  const [wanted, setWanted] = useState(false);
  const placeholder = button(() => setWanted(true));
  return wanted ? <Suspense fallback={placeholder}>{children}</Suspense> : placeholder;
}

/** Presses a button that came late, since it was pressed before it was there; the focus goes to it and can come back. */
export function useFirstOpen(): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const pressed = useRef(false);
  useEffect(() => {
    if (pressed.current) return;
    pressed.current = true;
    button.current?.focus();
    button.current?.click();
  }, []);
  return button;
}
