/**
 * The table component of all pages: thin lines, a sticky header, names on the left, numbers on the
 * right, sortable headers, and rows that can be clicked, hovered and focused. Of a long table, only
 * the rows in view are rendered, by the scroll position of the page or of a separate area. Two tall
 * empty rows replace the others, and `aria-rowcount` is the true number.
 */
import { useVirtualizer, useWindowVirtualizer } from '@tanstack/react-virtual';
import { Suspense, lazy, memo, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { createPortal } from 'react-dom';
import classes from './DataTable.module.css';
import { sortRows, type Sort } from '../lib/list-search';
import { useHiddenColumns } from './hidden-columns';
import { useListToolSlot } from './list-tool-slot';
import type { AllRows } from './paged-list';
import { useIsSnapshot } from './SnapshotContext';
import type { Column } from './table-column';

const ListTools = lazy(() => import('./ListTools'));

export type DataTableProps<Row> = {
  label: string;
  columns: Column<Row>[];
  rowCount: number;
  rowAt: (index: number) => Row;
  rowKey: (row: Row) => string | number;
  rowHeight?: number;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  onRowClick?: (row: Row) => void;
  onRowHover?: (row: Row | null) => void;
  selectedKey?: string | number | null;
  /** Keys of the selected rows of a table in which several rows can be selected. */
  selectedKeys?: ReadonlySet<string | number>;
  /** Key of a row that is highlighted from elsewhere, as by the hovered frame of a flame graph. */
  markedKey?: string | number | null;
  minWidth?: number;
  /** Height in pixels of a separate area that scrolls; without it the page scrolls. */
  maxHeight?: number;
  /** Adds tools for columns, sorting and CSV of these rows, or of all rows if a part is loaded. */
  tools?: 'rows' | (() => Promise<AllRows<Row>>);
};

/** Number of rows that a long table shows in a report at first. */
const TOP_ROWS = 20;

/** Tables with at most this many rows are rendered whole, for find-in-page and printing. */
const ALL_BELOW = 150;

/** Minimum width of a column without a set width, so that its text is readable. */
const LEFT_PX = 120;

/** Returns the minimum width of a table: as requested, but enough for all of its columns. */
export function leastWidth(columns: { width?: number | string }[], wanted: number): number {
  const needed = columns.map(({ width }) => (typeof width === 'number' ? width : LEFT_PX));
  return Math.max(
    wanted,
    needed.reduce((sum, px) => sum + px, 0),
  );
}

/** A table, with the tools of a list above it if they are requested. A report has no tools. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const isSnapshot = useIsSnapshot();
  return props.tools && !isSnapshot ? <ToolTable {...props} /> : <PlainTable {...props} />;
}

function ToolTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rowCount, rowAt, tools } = props;
  const [hidden, setHidden] = useHiddenColumns(label);
  const [ownSort, setOwnSort] = useState<Sort>();
  const sort = props.onSort ? props.sort : ownSort;
  const all = Array.from({ length: rowCount }, (_, index) => rowAt(index));
  const rows = sortRows(all, columns, sort);
  const shown = columns
    .filter(({ id }) => !hidden.has(id))
    .map((column) => ({ ...column, sortable: column.text !== undefined }));
  const slot = useListToolSlot()?.element;
  const listTools = (
    <Suspense fallback={null}>
      <ListTools
        label={label}
        columns={columns as Column<unknown>[]}
        hidden={hidden}
        onHidden={setHidden}
        rows={typeof tools === 'function' ? tools : () => ({ rows: all, isWhole: true })}
        sort={sort}
      />
    </Suspense>
  );
  // The filters belong to the list whose order is in the URL; a page may have other tables.
  const isFiltered = typeof tools === 'function' && props.onSort !== undefined;
  return (
    <>
      {slot && isFiltered ? (
        createPortal(listTools, slot)
      ) : (
        <div className={classes.tools}>{listTools}</div>
      )}
      <PlainTable
        {...props}
        rowAt={(index) => rows[index]!}
        columns={shown}
        sort={sort}
        onSort={props.onSort ?? setOwnSort}
      />
    </>
  );
}

function PlainTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rowAt, rowKey, rowHeight = 30, sort, onSort } = props;
  const minWidth = props.minWidth && leastWidth(columns, props.minWidth);
  // In a report, a long table shows only its first rows until the reader requests the rest.
  const frozen = useIsSnapshot();
  const [unfolded, setUnfolded] = useState(false);
  const folds = frozen && !unfolded && props.rowCount > TOP_ROWS + 5;
  const rowCount = folds ? TOP_ROWS : props.rowCount;
  const { box, top, narrow } = usePlace(minWidth ?? 0);
  const whole = rowCount <= ALL_BELOW;

  const inside = props.maxHeight !== undefined;
  // oxlint-disable-next-line react-hooks/incompatible-library -- the results of both are read here only, in the same rendering
  const ofPage = useWindowVirtualizer({
    count: whole || inside ? 0 : rowCount,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
  });
  const ofArea = useVirtualizer({
    count: whole || !inside ? 0 : rowCount,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const shown = (inside ? ofArea : ofPage).getVirtualItems();
  const first = whole ? 0 : (shown[0]?.index ?? 0);
  const last = whole ? rowCount : (shown[shown.length - 1]?.index ?? -1) + 1;
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset);

  return (
    <div
      ref={box}
      className={classes.box}
      data-narrow={narrow || undefined}
      data-scrolls={inside || undefined}
      style={{ maxHeight: props.maxHeight }}
      {...((narrow || inside) &&
        !props.onRowClick && { tabIndex: 0, role: 'group', 'aria-label': label })}
      onMouseLeave={() => props.onRowHover?.(null)}
    >
      <table
        className={classes.table}
        aria-label={label}
        aria-rowcount={props.rowCount + 1}
        style={{ minWidth }}
      >
        <colgroup>
          {columns.map((column) => (
            <col key={column.id} style={{ width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Head key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={moveBetweenRows}>
          {first > 0 && (
            <tr aria-hidden style={{ height: first * rowHeight }} className={classes.gap} />
          )}
          {rows.map((index) => {
            const row = rowAt(index);
            const key = rowKey(row);
            return (
              <BodyRow
                key={key}
                row={row}
                index={index}
                height={rowHeight}
                columns={columns as Column<unknown>[]}
                selected={key === props.selectedKey || (props.selectedKeys?.has(key) ?? false)}
                marked={key === props.markedKey}
                onClick={props.onRowClick as ((row: unknown) => void) | undefined}
                onHover={props.onRowHover as ((row: unknown) => void) | undefined}
              />
            );
          })}
          {last < rowCount && (
            <tr
              aria-hidden
              style={{ height: (rowCount - last) * rowHeight }}
              className={classes.gap}
            />
          )}
        </tbody>
      </table>
      {folds && (
        <button type="button" className={`link ${classes.rest}`} onClick={() => setUnfolded(true)}>
          Show all {props.rowCount} rows
        </button>
      )}
    </div>
  );
}

/** Measures where the table begins on the page, and whether it must scroll sideways. */
function usePlace(minWidth: number) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [narrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const lookup = () => {
      setTop(Math.round(element.getBoundingClientRect().top + window.scrollY));
      setNarrow(element.clientWidth > 0 && element.clientWidth < minWidth);
    };
    lookup();
    // The height of the page is observed too: content that expands above moves the table down.
    const watcher = new ResizeObserver(lookup);
    watcher.observe(element);
    watcher.observe(document.body);
    return () => watcher.disconnect();
  }, [minWidth]);
  return { box, top, narrow };
}

function Head<Row>({
  column,
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
}) {
  const sorted = sort?.column === column.id;
  const className = column.align === 'right' ? classes.right : undefined;
  if (!column.sortable || !onSort) {
    return (
      <th scope="col" className={className}>
        {column.head}
        {column.label !== undefined && <span className="unseen">{column.label}</span>}
      </th>
    );
  }
  return (
    <th
      scope="col"
      className={className}
      aria-sort={sorted ? (sort.descending ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        className={classes.sort}
        onClick={() => {
          onSort({
            column: column.id,
            // Numbers, also those shown as drawings, are sorted from the largest at first.
            descending: sorted
              ? !sort.descending
              : column.align === 'right' || column.label !== undefined,
          });
        }}
      >
        {column.head}
        {column.label !== undefined && <span className="unseen">{column.label}</span>}
        {sorted && <i className={sort.descending ? classes.down : classes.up} aria-hidden />}
      </button>
    </th>
  );
}

type RowProps = {
  row: unknown;
  index: number;
  height: number;
  columns: Column<unknown>[];
  selected: boolean;
  marked: boolean;
  onClick?: (row: unknown) => void;
  onHover?: (row: unknown) => void;
};

const BodyRow = memo(function BodyRow({
  row,
  index,
  height,
  columns,
  selected,
  marked,
  onClick,
  onHover,
}: RowProps) {
  const press = (event: KeyboardEvent<HTMLTableRowElement>) => {
    if (onClick && event.key === 'Enter' && event.target === event.currentTarget) onClick(row);
  };
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={onClick ? selected : undefined}
      data-selected={selected || undefined}
      data-marked={marked || undefined}
      data-clickable={onClick ? true : undefined}
      tabIndex={onClick ? 0 : undefined}
      onClick={onClick && (() => onClick(row))}
      onKeyDown={onClick && press}
      onMouseEnter={onHover && (() => onHover(row))}
      onFocus={onHover && (() => onHover(row))}
      style={{ height }}
    >
      {columns.map((column, at) => {
        const className = [column.align === 'right' && classes.right, column.mono && 'mono']
          .filter(Boolean)
          .join(' ');
        return at === 0 ? (
          <th key={column.id} scope="row" className={className}>
            {column.cell(row)}
          </th>
        ) : (
          <td key={column.id} className={className}>
            {column.cell(row)}
          </td>
        );
      })}
    </tr>
  );
});

/** Moves the focus between rows with the arrow keys, and with j and k as in lists. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
  const row = event.target as HTMLElement;
  if (!step || row.tagName !== 'TR') return;
  const next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
  if (next instanceof HTMLElement && next.tabIndex === 0) {
    event.preventDefault();
    next.focus();
  }
}
