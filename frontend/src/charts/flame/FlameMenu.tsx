import type { KeyboardEvent, ReactElement } from 'react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { FlameView } from '../../engine/flame/flame-view';
import { visibleName } from '../../engine/flame/frame-label';
import css from './flame.module.css';
import type { FrameActions } from './frame-actions';
import { menuEntries } from './frame-actions';

type FlameMenuProps = {
  view: FlameView;
  name: string;
  frame: Parameters<typeof menuEntries>[2];
  actions: FrameActions;
  left: number;
  top: number;
  onClose: () => void;
};

/** Space between a menu and the edge of the window. */
const EDGE_PX = 4;

/** Actions on one frame. It opens where requested and takes the focus; `onClose` restores it. */
export function FlameMenu({
  view,
  name,
  frame,
  actions,
  left,
  top,
  onClose,
}: FlameMenuProps): ReactElement {
  const entries = menuEntries(view, name, frame, actions);
  const menu = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left, top });
  useLayoutEffect(() => {
    const box = menu.current?.getBoundingClientRect();
    if (box === undefined) return;
    const { clientWidth, clientHeight } = document.documentElement;
    const inside = (from: number, size: number, room: number): number =>
      Math.max(EDGE_PX, Math.min(from, room - size - EDGE_PX));
    setPlace({
      left: inside(left, box.width, clientWidth),
      top: inside(top, box.height, clientHeight),
    });
  }, [left, top]);
  useEffect(() => {
    menu.current?.querySelector('button')?.focus({ preventScroll: true });
    const outside = (event: PointerEvent): void => {
      if (event.target instanceof Node && menu.current?.contains(event.target) === true) return;
      onClose();
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [onClose]);

  const steer = (event: KeyboardEvent): void => {
    const buttons = [...(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: buttons.length - 1,
    };
    const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    event.stopPropagation();
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      onClose();
    } else if (step !== undefined) {
      event.preventDefault();
      buttons[(step + buttons.length) % buttons.length]?.focus();
    }
  };

  return (
    <div
      ref={menu}
      className={css.menu}
      role="menu"
      tabIndex={-1}
      aria-label={`Actions for ${visibleName(name, 80)}`}
      style={place}
      onKeyDown={steer}
    >
      <div className={css.menuName} aria-hidden="true">
        <bdi>{visibleName(name, 120)}</bdi>
      </div>
      {entries.map(({ id, words, act }) => (
        <button
          key={id}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            onClose();
            act();
          }}
        >
          {words}
        </button>
      ))}
      {frame === 'usual' && actions.link?.(name)}
    </div>
  );
}
