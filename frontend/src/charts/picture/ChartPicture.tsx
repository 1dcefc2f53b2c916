/** A chart with a button that copies it as an image; visible on hover, and if it has the focus. */
import { useRef, useState, type ReactNode } from 'react';
import { copyPicture } from '../../ui';
import css from './picture.module.css';

const WORDS = { ready: 'Copy picture', copied: 'Copied', failed: 'Not copied' };

export function ChartPicture({ name, children }: { name: string; children: ReactNode }) {
  const chart = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<keyof typeof WORDS>('ready');
  const draw = async () => {
    if (chart.current === null) throw new Error('The chart is not shown');
    const { drawPicture } = await import('./chart-picture');
    return drawPicture(chart.current);
  };
  const copy = async () => {
    try {
      await copyPicture(draw());
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  return (
    <div className={css.frame}>
      <div ref={chart}>{children}</div>
      <button
        type="button"
        className={css.copy}
        aria-label={`${WORDS[state]}: ${name}`}
        onClick={() => void copy()}
        onBlur={() => setState('ready')}
        onPointerLeave={() => setState('ready')}
      >
        {WORDS[state]}
      </button>
    </div>
  );
}
