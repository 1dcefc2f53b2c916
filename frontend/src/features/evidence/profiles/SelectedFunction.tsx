/** One function of a profile: its cost, its callers and its callees. */
import { useMemo } from 'react';
import { visibleName } from '../../../engine/flame/frame-label';
import type { FunctionTable } from '../../../engine/flame/function-table';
import { normalizationPhrase } from '../../../engine/format/change-wording';
import { columnScale, formatShare, unitOf, type ColumnScale } from '../../../engine/format/format';
import { shortName } from '../../../engine/format/short-function-name';
import { countText } from '../../../ui';
import { findRow, type CallIndex, type Relative } from './function-details';
import { scaleOf, type FunctionRow } from './function-rows';
import { shortCategory } from './profile-wording';
import classes from './profiles.module.css';

/** The most callers or callees that are listed; the graph has all of them. */
const LISTED = 8;

type SelectedProps = {
  table: FunctionTable;
  /** Null until the tree is loaded. */
  calls: CallIndex | null;
  basis: string;
  name: string;
  onSelect: (name: string) => void;
  onFocus: (name: string) => void;
  /** Shows the lines of the function; undefined if frames are packages or lines. */
  onLines?: (name: string) => void;
};

export function SelectedFunction(props: SelectedProps) {
  const { table, calls, basis, name, onSelect, onFocus, onLines } = props;
  const scaled = useMemo(() => scaleOf(table, basis), [table, basis]);
  const row = useMemo(() => findRow(table, scaled, name), [table, scaled, name]);
  const relatives = useMemo(
    () => calls?.relativesOf(name, scaled.scale) ?? null,
    [calls, name, scaled],
  );
  if (!row)
    return (
      <p className={classes.none}>
        <span className="mono">{visibleName(name)}</span> is not in these samples.
      </p>
    );
  const unit = unitOf(scaled.unit);
  const scale = columnScale(Math.max(row.total, row.own), unit);
  return (
    <section aria-label="Selected function">
      <h2 className={classes.selectedHead}>
        <span className="mono" title={visibleName(name)}>
          {visibleName(shortName(name))}
        </span>
        <span className="muted">{shortCategory(row.category)}</span>
      </h2>
      <Costs
        row={row}
        scale={scale}
        total={scaled.total}
        unit={`${scale.name} ${normalizationPhrase(unit)}`.trim()}
        stacks={calls?.stacksOf(name) ?? 0}
      />
      <p className={classes.actions}>
        {onLines && (
          <button type="button" className="link" onClick={() => onLines(name)}>
            Source lines
          </button>
        )}
        <button type="button" className="link" onClick={() => onFocus(name)}>
          Only stacks containing it
        </button>
      </p>
      {relatives && (
        <>
          <Relatives title="Callers" list={relatives.callers} scale={scale} onSelect={onSelect} />
          <Relatives title="Callees" list={relatives.callees} scale={scale} onSelect={onSelect} />
        </>
      )}
    </section>
  );
}

type CostsProps = {
  row: FunctionRow;
  scale: ColumnScale;
  total: number;
  unit: string;
  stacks: number;
};

function Costs({ row, scale, total, unit, stacks }: CostsProps) {
  const lines: [string, number][] = [
    ['self', row.self],
    ['attributed runtime cost', row.attributed],
    ['total', row.total],
  ];
  return (
    <table className={classes.costs}>
      <thead>
        <tr>
          <td />
          <th scope="col">{unit === '' ? 'value' : unit}</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(([words, value]) => (
          <tr key={words}>
            <th scope="row">{words}</th>
            <td>
              <b>{value === 0 ? '–' : scale.format(value)}</b>
            </td>
            <td>{total > 0 ? formatShare(value / total) : '–'}</td>
          </tr>
        ))}
        {stacks > 0 && (
          <tr>
            <th scope="row">Distinct stacks</th>
            <td>{countText(stacks)}</td>
            <td />
          </tr>
        )}
      </tbody>
    </table>
  );
}

type RelativesProps = {
  title: string;
  list: Relative[];
  scale: ColumnScale;
  onSelect: (name: string) => void;
};

function Relatives({ title, list, scale, onSelect }: RelativesProps) {
  const largest = list[0]?.value ?? 0;
  const shown = list.slice(0, LISTED);
  return (
    <>
      <h3 className={classes.head}>
        {title}{' '}
        <span className="muted">
          {shown.length < list.length
            ? `${shown.length} of ${countText(list.length)}`
            : countText(list.length)}
        </span>
      </h3>
      <ul>
        {shown.map(({ name, value }) => (
          <li key={name} className={classes.relative}>
            <button
              type="button"
              className="mono cut"
              title={visibleName(name)}
              onClick={() => onSelect(name)}
            >
              {visibleName(shortName(name))}
            </button>
            <span className={classes.relativeBar} aria-hidden="true">
              <i style={{ width: `${largest > 0 ? (100 * value) / largest : 0}%` }} />
            </span>
            <span>{scale.format(value)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
