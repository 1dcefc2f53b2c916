import type { ReactNode } from 'react';

export type Column<Row> = {
  id: string;
  head: ReactNode;
  /** What the column is called where its head is a drawing. */
  label?: string;
  cell: (row: Row) => ReactNode;
  /** The cell in a CSV file; a column without it, such as actions, is in none and cannot be hidden. */
  text?: (row: Row) => string | number | null;
  align?: 'left' | 'right';
  /** CSS width; the first column without one takes what is left. */
  width?: number | string;
  sortable?: boolean;
  mono?: boolean;
};
