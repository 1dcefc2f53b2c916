/** The legend of the sides on every chart: base dashed, candidate solid. */
import type { ReactElement } from 'react';
import css from './plot.module.css';

type KeysProps = { tone: 'more' | 'less' | 'noise'; single?: boolean; band?: boolean };

export function SideLegend({ tone, single = false, band = true }: KeysProps): ReactElement {
  return (
    <span className={css.keys}>
      <span className={css.key}>
        <svg width={22} height={10} aria-hidden="true">
          <path d="M0 5h22" className={css.baseLine} />
        </svg>
        base
      </span>
      {!single && (
        <span className={css.key}>
          <svg width={22} height={10} aria-hidden="true" className={css[tone]}>
            {band && <rect y={1} width={22} height={8} className={css.band} />}
            <path d="M0 5h22" className={css.line} />
          </svg>
          candidate
        </span>
      )}
      {band && <span className="muted">band: 95% interval</span>}
    </span>
  );
}
