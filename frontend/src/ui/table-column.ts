import type { ReactNode } from 'react';

export type Column<Row> = {
  id: string;
  head: ReactNode;
  /** Name of a column whose head is a drawing. */
  label?: string;
  cell: (row: Row) => ReactNode;
  /** The cell in a CSV file. A column without it, such as actions, is not exported or hidden. */
  text?: (row: Row) => string | number | null;
  align?: 'left' | 'right';
  /** CSS width; the first column without one takes the remaining width. */
  width?: number | string;
  sortable?: boolean;
  mono?: boolean;
};
