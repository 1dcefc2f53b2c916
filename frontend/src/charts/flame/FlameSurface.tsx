import type { KeyboardEvent, ReactElement, RefObject } from 'react';
import css from './flame.module.css';
import { useKeyHints } from '../../ui';
import { describeKeys, flameKeyHints } from './flame-keys';

type FlameSurfaceProps = {
  scroller: RefObject<HTMLDivElement | null>;
  canvas: RefObject<HTMLCanvasElement | null>;
  label: string;
  isOneSided: boolean;
  /** Height of all rows, and of the part in view, in pixels. */
  heights: { all: number; shown: number };
  /** `stale`: an earlier view is shown while the next one is computed. */
  state: 'loading' | 'stale' | 'current';
  onFocusChange: (isFocused: boolean) => void;
  onKeyDown: (event: KeyboardEvent<HTMLDivElement>) => void;
};

/** The canvas of a flame graph in the element that scrolls it and receives its keys. */
export function FlameSurface(props: FlameSurfaceProps): ReactElement {
  const { scroller, canvas, label, isOneSided, heights, state, onFocusChange, onKeyDown } = props;
  useKeyHints(flameKeyHints(isOneSided));
  return (
    <div
      ref={scroller}
      className={css.scroller}
      style={{ height: heights.shown }}
      role="application"
      aria-roledescription="flame graph"
      aria-label={label}
      aria-description={describeKeys(isOneSided)}
      aria-busy={state !== 'current'}
      tabIndex={0}
      onFocus={() => onFocusChange(true)}
      onBlur={() => onFocusChange(false)}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: heights.all }}>
        <canvas
          ref={canvas}
          className={state === 'stale' ? `${css.canvas ?? ''} ${css.stale ?? ''}` : css.canvas}
          style={{ height: heights.shown }}
        />
      </div>
    </div>
  );
}
