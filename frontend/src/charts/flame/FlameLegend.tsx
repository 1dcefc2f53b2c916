import type { ReactElement } from 'react';
import type { FlameMode } from '../../engine/flame/flame-view';
import css from './flame.module.css';

type Swatch = { words: string; draw: ReactElement };

const WIDTH = 30;
const HEIGHT = 14;

const CHANGES: readonly Swatch[] = [
  {
    words: 'more, own',
    draw: (
      <>
        <rect width={WIDTH} height={HEIGHT} className={css.fillMore} />
        <rect width={WIDTH} height={2} className={css.barMore} />
      </>
    ),
  },
  {
    words: 'more, in callees',
    draw: (
      <>
        <rect width={WIDTH} height={HEIGHT} className={css.fillOnly} />
        <rect width={WIDTH} height={2} className={css.barMore} opacity={0.4} />
      </>
    ),
  },
  {
    words: 'less',
    draw: (
      <>
        <rect width={WIDTH} height={HEIGHT} className={css.fillLess} />
        <rect y={HEIGHT - 2} width={WIDTH} height={2} className={css.barLess} />
      </>
    ),
  },
  {
    words: 'only in base',
    draw: <rect x={0.5} y={0.5} width={WIDTH - 1} height={HEIGHT - 1} className={css.onlyBase} />,
  },
  {
    words: 'only in candidate',
    draw: (
      <>
        <rect width={WIDTH} height={HEIGHT} className={css.fillOnly} />
        <path
          className={css.hatch}
          d={Array.from({ length: 9 }, (_, at) => `M${at * 5 - 14} 14l14 -14`).join('')}
        />
        <rect x={0.5} y={0.5} width={WIDTH - 1} height={HEIGHT - 1} className={css.onlyCandidate} />
      </>
    ),
  },
  { words: 'not significant', draw: <rect width={WIDTH} height={HEIGHT} className={css.noise} /> },
];

const SIDES: readonly Swatch[] = [
  { words: 'application', draw: <rect width={WIDTH} height={HEIGHT} className={css.noise} /> },
  { words: 'runtime', draw: <rect width={WIDTH} height={HEIGHT} className={css.runtime} /> },
];

const REST: Swatch = {
  words: 'too narrow, combined',
  draw: (
    <path
      className={css.comb}
      d={Array.from({ length: 10 }, (_, at) => `M${at * 3 + 0.5} 0v14`).join('')}
    />
  ),
};

const selectedSwatch = (words: string): Swatch => ({
  words,
  draw: <rect width={WIDTH} height={HEIGHT} className={css.selected} />,
});

/**
 * `selected`: name of the highlighted category, '' without one; `rests`: whether narrow frames are
 * combined.
 */
type LegendProps = { mode: FlameMode; selected: string; rests: boolean };

/** Explains the fills. A graph of one side has no changes to explain. */
export function FlameLegend({ mode, selected, rests }: LegendProps): ReactElement {
  const changes = mode === 'overlay' || mode === 'side-by-side' ? CHANGES : SIDES;
  const chosen = selected === '' ? [] : [selectedSwatch(selected)];
  return (
    <span className={css.legend}>
      {[...changes, ...chosen, ...(rests ? [REST] : [])].map(({ words, draw }) => (
        <span key={words} className={css.key}>
          <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
            {draw}
          </svg>
          {words}
        </span>
      ))}
    </span>
  );
}
