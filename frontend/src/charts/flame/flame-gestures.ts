/** Translates pointer and wheel events to actions of a graph: hover, choose, drag, pinch, zoom. */

export type GestureEvents = {
  hover: (x: number, y: number) => void;
  leave: () => void;
  choose: (x: number, y: number) => void;
  reset: () => void;
  menu: (x: number, y: number) => void;
  /** Moved by this many pixels: the content follows the pointer. */
  pan: (dx: number, dy: number) => void;
  /** A factor below 1 zooms in, around x. */
  zoom: (factor: number, x: number) => void;
  dragging: (active: boolean) => void;
};

/** A press that moves less than this is a click. */
const CLICK_REACH_PX = 4;
const WHEEL_ZOOM_PER_PX = 0.004;
const LINE_PX = 16;

type Pressed = { x: number; y: number };

/** Listens on an element. Returns a function that stops listening. */
export function listenToGestures(element: HTMLElement, events: GestureEvents): () => void {
  const pressed = new Map<number, Pressed>();
  let start: Pressed | null = null;
  let dragged = false;

  const placeOf = (event: MouseEvent): Pressed => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  const down = (event: PointerEvent): void => {
    if (event.pointerType === 'mouse' && event.button !== 0) return;
    pressed.set(event.pointerId, placeOf(event));
    if (pressed.size === 1) start = placeOf(event);
    dragged = pressed.size > 1;
  };

  const pinch = (event: PointerEvent, before: Pressed, now: Pressed): void => {
    const other = [...pressed].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) return;
    const was = Math.max(8, Math.abs(before.x - other.x));
    const is = Math.max(8, Math.abs(now.x - other.x));
    events.zoom(was / is, (now.x + other.x) / 2);
  };

  const move = (event: PointerEvent): void => {
    const now = placeOf(event);
    const before = pressed.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType !== 'touch') events.hover(now.x, now.y);
      return;
    }
    if (
      !dragged &&
      start !== null &&
      Math.hypot(now.x - start.x, now.y - start.y) >= CLICK_REACH_PX
    ) {
      dragged = true;
      element.setPointerCapture(event.pointerId);
      events.dragging(true);
    }
    if (!dragged) return;
    if (pressed.size > 1) pinch(event, before, now);
    else events.pan(now.x - before.x, now.y - before.y);
    pressed.set(event.pointerId, now);
  };

  const up = (event: PointerEvent): void => {
    const known = pressed.delete(event.pointerId);
    if (!known || pressed.size > 0) return;
    if (dragged) events.dragging(false);
    else if (event.type === 'pointerup') {
      const { x, y } = placeOf(event);
      events.choose(x, y);
    }
    start = null;
  };

  const wheel = (event: WheelEvent): void => {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      events.zoom(Math.exp(event.deltaY * unit * WHEEL_ZOOM_PER_PX), placeOf(event).x);
      return;
    }
    const across = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    // Vertical scrolling is left to the page.
    if (Math.abs(across) <= Math.abs(event.deltaY) && !event.shiftKey) return;
    event.preventDefault();
    events.pan(-across * unit, 0);
  };

  const menu = (event: MouseEvent): void => {
    event.preventDefault();
    const { x, y } = placeOf(event);
    events.menu(x, y);
  };

  const leave = (): void => {
    if (pressed.size === 0) events.leave();
  };

  const double = (): void => events.reset();

  const listening = new AbortController();
  const { signal } = listening;
  element.addEventListener('pointerdown', down, { signal });
  element.addEventListener('pointermove', move, { signal });
  element.addEventListener('pointerup', up, { signal });
  element.addEventListener('pointercancel', up, { signal });
  element.addEventListener('pointerleave', leave, { signal });
  element.addEventListener('wheel', wheel, { signal, passive: false });
  element.addEventListener('contextmenu', menu, { signal });
  element.addEventListener('dblclick', double, { signal });
  return () => listening.abort();
}
