import type { ReactElement } from 'react';
import type { FlameView } from '../../engine/flame/flame-view';
import type { DrawnCounts } from '../../engine/flame/view-summary';
import { visibleName } from '../../engine/flame/frame-label';
import { summarizeView } from '../../engine/flame/view-summary';
import { FlameLegend } from './FlameLegend';
import css from './flame.module.css';
import type { OneSideWords } from './flame-props';
import { chipsOf } from './frame-actions';
import type { Subtree } from './use-subtree';

type FlameHeaderProps = {
  view: FlameView;
  legend: boolean;
  chips: boolean;
  oneSide: OneSideWords | undefined;
  counts: DrawnCounts | null;
  problems: readonly string[];
  /** An error, and how to try again. */
  trouble: Subtree['trouble'];
  onChange: (change: Partial<FlameView>) => void;
};

const WIDTH_LABELS: Record<FlameView['mode'], string> = {
  overlay: 'width = base + candidate',
  'side-by-side': 'width = each side, one scale',
  base: 'width = base',
  candidate: 'width = candidate',
};

/** The legend, counts of what is drawn and is not, and active filters, which a click removes. */
export function FlameHeader({
  view,
  legend,
  chips: withChips,
  oneSide,
  counts,
  problems,
  trouble,
  onChange,
}: FlameHeaderProps): ReactElement {
  const chips = withChips ? chipsOf(view) : [];
  const width = oneSide ? [] : [WIDTH_LABELS[view.mode]];
  const words = counts === null ? [] : [...width, ...summarizeView(counts)];
  return (
    <>
      <div className={css.head}>
        {oneSide && <span>width = {oneSide.width}</span>}
        {legend && (
          <FlameLegend
            mode={view.mode}
            selected={oneSide?.selected ?? ''}
            rests={counts !== null && counts.narrow > 0}
          />
        )}
        <span className={css.state}>
          {words.map((part) => (
            <span key={part}>{part}</span>
          ))}
        </span>
      </div>
      {problems.map((problem) => (
        <div key={problem} className={css.problem} role="alert">
          {visibleName(problem)}
        </div>
      ))}
      {trouble !== null && (
        <div className={css.problem} role="alert">
          {visibleName(trouble.message, 300)}{' '}
          <button type="button" className="link" onClick={trouble.again}>
            Try again
          </button>
        </div>
      )}
      {chips.length > 0 && (
        <div className={css.chips}>
          {chips.map(({ id, words: kind, value, without }) => (
            <button
              key={id}
              type="button"
              className={css.chip}
              title="Remove this filter"
              onClick={() => onChange(without)}
            >
              {kind} <bdi>{visibleName(value, 120)}</bdi>
              <svg width="12" height="12" viewBox="0 0 12 12" aria-label="remove">
                <path d="M3 3l6 6M9 3l-6 6" strokeWidth="1.3" fill="none" />
              </svg>
            </button>
          ))}
        </div>
      )}
    </>
  );
}
