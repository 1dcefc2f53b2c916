/** A menu or popover whose code is large, and is loaded when its button is first pressed. */
import { Suspense, useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';

type LazyPopoverProps = {
  /** Renders the button until the rest is loaded; it looks like the button that replaces it. */
  button: (onPress: () => void) => ReactNode;
  /** An element of a component made by `lazy`, whose button has the ref of `useFirstOpen`. */
  children: ReactNode;
};

export function LazyPopover({ button, children }: LazyPopoverProps) {
  const [wanted, setWanted] = useState(false);
  const placeholder = button(() => setWanted(true));
  return wanted ? <Suspense fallback={placeholder}>{children}</Suspense> : placeholder;
}

/** Returns the ref of a lazy button; focuses and clicks it, since its placeholder was pressed. */
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
