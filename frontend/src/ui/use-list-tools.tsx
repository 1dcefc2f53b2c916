/** The tools of a list that is not a table: its columns, order and CSV. */
import { Suspense, lazy, type CSSProperties, type ReactNode } from 'react';
import { parseSort, sortRows } from '../lib/list-search';
import type { ListColumn } from './ListTools';
import { useIsSnapshot } from './SnapshotContext';
import { useHiddenColumns } from './hidden-columns';
import type { AllRows } from './paged-list';

const ListTools = lazy(() => import('./ListTools'));

type GridColumn<Row> = ListColumn<Row> & { width: string };

type ListToolsInput<Row> = {
  label: string;
  columns: readonly GridColumn<Row>[];
  rows: readonly Row[];
  allRows: () => Promise<AllRows<Row>>;
  sort: string | undefined;
  onSort: (sort: string | undefined) => void;
  /** Widths of the columns before these, such as that of a checkbox. */
  lead?: string;
};

type ListToolsOutput<Row> = {
  rows: readonly Row[];
  isShown: (id: string) => boolean;
  /** Sets `--columns`, for `grid-template-columns`. */
  style: CSSProperties;
  tools: ReactNode;
};

export function useListTools<Row>(input: ListToolsInput<Row>): ListToolsOutput<Row> {
  const { label, columns, rows, allRows, onSort, lead = '' } = input;
  const [hidden, setHidden] = useHiddenColumns(label);
  const sort = parseSort(input.sort);
  const isSnapshot = useIsSnapshot();
  const shown = columns.filter(({ id }) => !hidden.has(id));
  return {
    rows: sortRows(rows, columns, sort),
    isShown: (id) => !hidden.has(id),
    style: { '--columns': `${lead} ${shown.map(({ width }) => width).join(' ')}` } as CSSProperties,
    tools: isSnapshot ? null : (
      <Suspense fallback={null}>
        <ListTools
          label={label}
          columns={columns as readonly ListColumn<unknown>[]}
          hidden={hidden}
          onHidden={setHidden}
          rows={allRows}
          sort={sort}
          onSortText={onSort}
        />
      </Suspense>
    ),
  };
}
