/** Performs the actions of keys on the graph. */
import type { KeyboardEvent, RefObject } from 'react';
import { useCallback, useEffect, useRef } from 'react';
import { callersOf } from '../../engine/flame/collapsed-callers';
import type { FlameView } from '../../engine/flame/flame-view';
import { COLLAPSED_ROW_PX } from '../../engine/flame/flame-viewport';
import type { FlameController } from './flame-controller';
import type { FrameCursor, Step } from './frame-navigation';
import { nextMatch, stepCursor } from './frame-navigation';
import type { KeyAction } from './flame-keys';
import { keyAction } from './flame-keys';
import type { Target } from './frame-description';
import { nameOfFrame } from './frame-description';

const PAN_PART = 0.15;
const ZOOM_FACTOR = 0.75;

type KeyHandlers = {
  cursor: FrameCursor | null;
  setCursor: (cursor: FrameCursor | null) => void;
  hovered: Target | null;
  view: FlameView;
  change: (part: Partial<FlameView>) => void;
  choose: (target: Target) => void;
  openMenu: (target: Target, left: number, top: number) => void;
  listLines?: (name: string) => void;
};

const STEPS: Partial<Record<KeyAction, Step>> = {
  'cursor-up': 'up',
  'cursor-down': 'down',
  'cursor-left': 'left',
  'cursor-right': 'right',
};

const WINDOW: Partial<Record<KeyAction, (controller: FlameController) => void>> = {
  'pan-left': (controller) => controller.panBy(-PAN_PART),
  'pan-right': (controller) => controller.panBy(PAN_PART),
  'zoom-in': (controller) => controller.zoomBy(ZOOM_FACTOR),
  'zoom-out': (controller) => controller.zoomBy(1 / ZOOM_FACTOR),
  reset: (controller) => controller.reset(),
};

const MODES: Partial<Record<KeyAction, FlameView['mode']>> = {
  base: 'base',
  candidate: 'candidate',
  overlay: 'overlay',
  'side-by-side': 'side-by-side',
};

/** Returns the frame that a key applies to: the hovered one, else the cursor's, else the zoomed. */
function meantTarget(controller: FlameController, { hovered, cursor }: KeyHandlers): Target {
  if (hovered?.kind === 'frame') return hovered;
  return {
    kind: 'frame',
    side: 0,
    ...(cursor ?? { table: controller.zoom.table, frame: controller.zoom.frame }),
  };
}

function moveCursor(
  controller: FlameController,
  scroller: HTMLElement | null,
  handlers: KeyHandlers,
  to: FrameCursor | null,
): void {
  if (to === null) return;
  handlers.setCursor(to);
  const top = controller.reveal(to.table, to.frame);
  if (scroller === null) return;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  if (top + COLLAPSED_ROW_PX > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = top + COLLAPSED_ROW_PX - scroller.clientHeight;
}

function walk(
  controller: FlameController,
  scroller: HTMLElement | null,
  handlers: KeyHandlers,
  action: KeyAction,
): boolean {
  const { arranged } = controller;
  if (arranged === null) return false;
  const step = STEPS[action];
  const panes = controller.states.map(({ pane }) => pane);
  const start: FrameCursor = { table: controller.zoom.table, frame: controller.zoom.frame };
  const from =
    handlers.cursor !== null &&
    handlers.cursor.frame < (arranged.tables[handlers.cursor.table]?.count ?? 0)
      ? handlers.cursor
      : null;
  if (step !== undefined)
    moveCursor(
      controller,
      scroller,
      handlers,
      from === null ? start : stepCursor(arranged, panes, from, step),
    );
  else if (action === 'cursor-home')
    moveCursor(controller, scroller, handlers, { table: 0, frame: 0 });
  else if (action === 'next-match')
    moveCursor(controller, scroller, handlers, nextMatch(arranged, from, 1));
  else if (action === 'previous-match')
    moveCursor(controller, scroller, handlers, nextMatch(arranged, from, -1));
  else return false;
  return true;
}

/** Goes one step out: first removes the cursor, then the zoom, then the sandwich. */
function leave(controller: FlameController, handlers: KeyHandlers): boolean {
  if (handlers.cursor !== null) handlers.setCursor(null);
  else if (controller.zoom.frame !== 0 || handlers.view.span !== null) controller.reset();
  else if (handlers.view.sandwich !== '') handlers.change({ sandwich: '', zoom: '', span: null });
  else return false;
  return true;
}

function actOnFrame(
  controller: FlameController,
  canvas: HTMLElement | null,
  handlers: KeyHandlers,
  action: KeyAction,
): boolean {
  const { arranged } = controller;
  if (arranged === null) return false;
  const target = meantTarget(controller, handlers);
  if (target.kind !== 'frame') return false;
  const name = nameOfFrame(arranged, target.table, target.frame);
  const collapsed = callersOf(arranged.tables[target.table]!, target.frame).length > 0;
  // Collapsed callers have neither lines nor callers until they are expanded.
  if (collapsed && (action === 'callers' || action === 'lines')) return true;
  if (action === 'open') handlers.choose(target);
  else if (action === 'callers') {
    const back = handlers.view.sandwich !== '' && target.frame === 0;
    if (target.frame > 0 || back)
      handlers.change({ sandwich: back ? '' : name, zoom: '', span: null });
  } else if (action === 'lines') {
    if (target.frame > 0) handlers.listLines?.(name);
  } else if (action === 'menu') {
    const box = canvas?.getBoundingClientRect();
    const frame = controller.boxesOf(target)?.frame;
    if (box !== undefined && frame !== undefined)
      handlers.openMenu(target, box.left + frame.left, box.top + frame.bottom + 2);
  } else return false;
  return true;
}

/** @returns the handler for the element that has the focus. */
export function useFlameKeys(
  controller: FlameController,
  scroller: RefObject<HTMLDivElement | null>,
  handlers: KeyHandlers,
): (event: KeyboardEvent) => void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  return useCallback(
    (event: KeyboardEvent) => {
      const action = keyAction(event);
      if (action === null) return;
      const now = latest.current;
      const host = scroller.current;
      const mode = MODES[action];
      const move = WINDOW[action];
      let done = true;
      if (move !== undefined) move(controller);
      else if (mode !== undefined) now.change({ mode: now.view.mode === mode ? 'overlay' : mode });
      else if (action === 'leave') done = leave(controller, now);
      else if (action === 'page-up' || action === 'page-down') {
        done = host !== null && host.scrollHeight > host.clientHeight;
        host?.scrollBy(0, (action === 'page-up' ? -0.8 : 0.8) * host.clientHeight);
      } else
        done =
          walk(controller, host, now, action) ||
          actOnFrame(controller, host?.querySelector('canvas') ?? null, now, action);
      if (done) event.preventDefault();
    },
    [controller, scroller],
  );
}
