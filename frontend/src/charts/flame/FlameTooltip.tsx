import type { CSSProperties, ReactElement, Ref } from 'react';
import { isOneSided } from '../../engine/flame/diff-part';
import type { Arranged } from '../../engine/flame/flame-model';
import { visibleName } from '../../engine/flame/frame-label';
import css from './flame.module.css';
import type { Lines, SideRow } from './frame-description';
import type { Target } from './frame-description';
import { frameLines, restLines } from './frame-description';

type FlameTooltipProps = {
  arranged: Arranged;
  target: Target;
  categoryLabel: (id: string) => string;
  /** Whether it floats; on narrow screens it is a panel in the page flow. */
  floating: boolean;
  style?: CSSProperties;
  boxRef?: Ref<HTMLDivElement>;
};

const KEYS: readonly (readonly [string, string])[] = [
  ['click', 'zoom'],
  ['b', 'base only'],
  ['c', 'candidate only'],
  ['f', 'callers'],
];
const KEYS_OF_ONE_SIDE = KEYS.filter(([key]) => key !== 'b' && key !== 'c');

function SideLine({ side, row }: { side: 'base' | 'candidate'; row: SideRow }): ReactElement {
  return (
    <tr>
      <th scope="row">
        <span className={side === 'base' ? css.tagBase : css.tagCandidate} />
        {side}
      </th>
      <td>{row.self}</td>
      <td>{row.total}</td>
      <td>{row.share}</td>
    </tr>
  );
}

function toneOf({ described }: Lines): string {
  if (described.change === 'noise') return css.toneNoise ?? '';
  return (
    (described.change === 'more' || described.change === 'only-candidate'
      ? css.toneMore
      : css.toneLess) ?? ''
  );
}

function ChangeLine({ lines }: { lines: Lines }): ReactElement {
  const { change } = lines;
  return (
    <div className={css.tipChange}>
      <span className={toneOf(lines)}>
        {change.words}: {change.delta}
      </span>{' '}
      {change.per}
      <br />
      <span className={css.secondary}>{change.ratio}</span>
      {change.sure !== '' && <div className={css.tipSure}>{change.sure}</div>}
    </div>
  );
}

type FrameTipProps = { lines: Lines; categoryLabel: (id: string) => string; oneSided: boolean };

const KEYS_OF_COLLAPSED: readonly (readonly [string, string])[] = [['click', 'expand']];

const categoryText = (id: string, label: (id: string) => string): string =>
  id === '' ? '' : label(id);

function FrameTip({ lines, categoryLabel, oneSided }: FrameTipProps): ReactElement {
  const { described, base, candidate, change, collapsed } = lines;
  return (
    <>
      <div className={css.tipName}>
        <bdi>{collapsed === null ? visibleName(described.name) : collapsed.words}</bdi>
      </div>
      <div className={css.tipCategory}>
        {collapsed === null ? categoryText(described.category, categoryLabel) : collapsed.names}
        {described.attributedCaller !== null && (
          <>
            {' · attributed to '}
            <bdi className={css.code}>{visibleName(described.attributedCaller, 120)}</bdi>
          </>
        )}
      </div>
      <table className={css.tipTable}>
        <thead>
          <tr>
            <td />
            <th scope="col">Self</th>
            <th scope="col">Total</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {oneSided ? (
            <tr>
              <th scope="row">{change.per}</th>
              <td>{candidate.self}</td>
              <td>{candidate.total}</td>
              <td>{candidate.share}</td>
            </tr>
          ) : (
            <>
              <SideLine side="base" row={base} />
              <SideLine side="candidate" row={candidate} />
            </>
          )}
        </tbody>
      </table>
      {!oneSided && <ChangeLine lines={lines} />}
    </>
  );
}

/** All about one frame or rest. Hidden from screen readers: the live region announces it too. */
export function FlameTooltip({
  arranged,
  target,
  categoryLabel,
  floating,
  style,
  boxRef,
}: FlameTooltipProps): ReactElement {
  const className = floating ? css.tip : css.panel;
  const oneSided = isOneSided(arranged.header);
  if (target.kind === 'rest') {
    const rest = restLines(arranged, target.side, target.table, target.rest);
    const sent = target.rest.from < target.rest.to;
    return (
      <div className={className} style={style} ref={boxRef} aria-hidden="true">
        <div className={css.tipTitle}>{rest.title}</div>
        <div className={css.tipCategory}>{rest.detail}</div>
        {oneSided ? (
          <div>{rest.candidate}</div>
        ) : (
          <div>
            <span className={css.tagBase} /> base {rest.base} ·{' '}
            <span className={css.tagCandidate} /> candidate {rest.candidate}
          </div>
        )}
        <div className={css.tipKeys}>
          <span>
            <kbd>click</kbd> {sent ? 'zoom in on them' : 'load them'}
          </span>
        </div>
      </div>
    );
  }
  const lines = frameLines(arranged, target.table, target.frame);
  const all = oneSided ? KEYS_OF_ONE_SIDE : KEYS;
  const keys = lines.collapsed === null ? all : KEYS_OF_COLLAPSED;
  return (
    <div className={className} style={style} ref={boxRef} aria-hidden="true">
      <FrameTip lines={lines} categoryLabel={categoryLabel} oneSided={oneSided} />
      <div className={css.tipKeys}>
        {keys.map(([key, words]) => (
          <span key={key}>
            <kbd>{key}</kbd> {words}
          </span>
        ))}
      </div>
    </div>
  );
}
