/** One span: its place in the tree, and its bar on the time axis with gaps between its calls. */
import { memo, type ReactElement } from 'react';
import { formatValue } from '../../engine/format/format';
import { visibleName } from '../../engine/flame/frame-label';
import {
  innerGaps,
  type WaterfallGap,
  type WaterfallSpan,
} from '../../engine/spans/waterfall-layout';
import type { TimeScale } from './waterfall-scale';
import css from './waterfall.module.css';

export const ROW_PX = 26;

type RowProps = {
  span: WaterfallSpan;
  row: number;
  place: number;
  top: number;
  id: string;
  scale: TimeScale;
  parentService: string | null;
  /** Number of spans below it, folded or not. */
  below: number;
  folded: boolean;
  selected: boolean;
  found: boolean;
  onSelect: (row: number) => void;
  onFold: (row: number, fold: boolean) => void;
  onGap: (row: number, gap: WaterfallGap) => void;
};

const INDENT_PX = 14;
const DEEPEST_INDENT = 12;

export const SpanRow = memo(function SpanRow(props: RowProps): ReactElement {
  const { span, row, place, top, id, below, folded, selected, onSelect, onFold } = props;
  const failed = span.status === 'error';
  return (
    <div
      id={id}
      role="row"
      className={css.row}
      style={{ top, height: ROW_PX }}
      aria-rowindex={place + 2}
      aria-level={span.depth + 1}
      aria-expanded={below > 0 ? !folded : undefined}
      aria-selected={selected}
      data-selected={selected || undefined}
      data-found={props.found || undefined}
      onClick={() => onSelect(row)}
    >
      <div role="rowheader" className={css.name} title={`${span.service} · ${span.op}`}>
        <span
          className={css.indent}
          style={{ width: Math.min(span.depth, DEEPEST_INDENT) * INDENT_PX }}
          aria-hidden="true"
        >
          {span.depth > DEEPEST_INDENT && span.depth}
        </span>
        {below > 0 ? (
          <button
            type="button"
            tabIndex={-1}
            className={css.fold}
            aria-label={`${folded ? 'Unfold' : 'Fold'} ${below} below ${visibleName(span.op)}`}
            onClick={(event) => {
              event.stopPropagation();
              onFold(row, !folded);
            }}
          >
            <i className={folded ? css.closed : css.open} aria-hidden="true" />
          </button>
        ) : (
          <span className={css.leaf} />
        )}
        {props.parentService !== span.service && (
          <b className={css.service}>{visibleName(span.service)}</b>
        )}
        <span className={`${css.op} mono`}>{visibleName(span.op)}</span>
        {folded && <span className={css.count}>+{below.toLocaleString('en')}</span>}
        {failed && <ErrorMark />}
        {span.flags.length > 0 || span.skew_ns !== 0 ? <FlagMark span={span} /> : null}
      </div>
      <div role="gridcell" className={css.lane}>
        <Bar {...props} failed={failed} />
      </div>
    </div>
  );
});

function Bar({ span, row, scale, failed, onGap }: RowProps & { failed: boolean }): ReactElement {
  const from = scale.clamped(span.start_ns);
  const to = scale.clamped(span.start_ns + span.duration_ns);
  const text = formatValue(span.duration_ns, 'ns');
  const outside = to < 0 || from > 1;
  const gaps = innerGaps(span);
  return (
    <>
      {!outside && (
        <span
          className={css.bar}
          data-failed={failed || undefined}
          data-mended={span.flags.length > 0 || undefined}
          style={{ left: `${from * 100}%`, width: `max(2px, ${(to - from) * 100}%)` }}
        />
      )}
      {gaps.map((gap) => (
        <Gap key={gap.start_ns} gap={gap} row={row} scale={scale} onGap={onGap} />
      ))}
      <span className={css.length} style={lengthPlace(from, to)}>
        {from > 1 && '› '}
        {to < 0 && '‹ '}
        {text}
      </span>
    </>
  );
}

/** Positions a text after the bar if there is room, else before it, else inside its right end. */
function lengthPlace(from: number, to: number): { left?: string; right?: string } {
  if (from > 1) return { right: '2px' };
  if (to < 0.86) return { left: `calc(${Math.max(0, to) * 100}% + 5px)` };
  if (from > 0.14) return { right: `calc(${(1 - from) * 100}% + 5px)` };
  return { right: `calc(${Math.max(0, 1 - to) * 100}% + 5px)` };
}

type GapProps = {
  gap: WaterfallGap;
  row: number;
  scale: TimeScale;
  onGap: (row: number, gap: WaterfallGap) => void;
};

const LETTER_PX = 6.2;
const LEAST_GAP_PX = 3;

function Gap({ gap, row, scale, onGap }: GapProps): ReactElement | null {
  const from = scale.clamped(gap.start_ns);
  const to = scale.clamped(gap.end_ns);
  const px = (to - from) * scale.widthPx;
  if (to < 0 || from > 1 || px < LEAST_GAP_PX) return null;
  const words = describeGap(gap);
  const room = Math.floor((px - 8) / LETTER_PX);
  const length = formatValue(gap.end_ns - gap.start_ns, 'ns');
  const label = `${words} ${length}`.length <= room ? `${words} ${length}` : length;
  return (
    <span
      className={css.gap}
      data-suspect={gap.suspect || undefined}
      style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
      title={`Gap: ${words}, ${length}${gap.suspect ? '; possibly caused by clock skew' : ''}`}
      onDoubleClick={(event) => {
        event.stopPropagation();
        onGap(row, gap);
      }}
    >
      {label.length <= room && <span className={css.gapName}>{label}</span>}
    </span>
  );
}

/** "validateSeries › Push": the calls that ended before the gap and began after it. */
function describeGap({ previous, next }: Pick<WaterfallGap, 'previous' | 'next'>): string {
  const before = previous === 'START' ? 'start' : visibleName(previous);
  return `${before} › ${next === 'END' ? 'end' : visibleName(next)}`;
}

function ErrorMark(): ReactElement {
  return (
    <svg className={css.mark} width="12" height="12" viewBox="0 0 12 12" role="img">
      <title>ended with an error</title>
      <circle cx="6" cy="6" r="4.2" fill="none" stroke="var(--err)" strokeWidth="1.6" />
      <path d="M4.4 4.4l3.2 3.2M7.6 4.4L4.4 7.6" stroke="var(--err)" strokeWidth="1.4" />
    </svg>
  );
}

function FlagMark({ span }: { span: WaterfallSpan }): ReactElement {
  const details = [
    ...span.flags,
    ...(span.skew_ns === 0 ? [] : [`clock moved by ${formatValue(span.skew_ns, 'ns')}`]),
  ];
  return (
    <svg className={css.mark} width="12" height="12" viewBox="0 0 12 12" role="img">
      <title>{details.join(', ')}</title>
      <path d="M6 1L11.4 11H.6Z" fill="none" stroke="var(--warn-mark)" strokeWidth="1.3" />
      <path d="M6 4.6v3M6 8.6v1" stroke="var(--warn-mark)" strokeWidth="1.3" />
    </svg>
  );
}
