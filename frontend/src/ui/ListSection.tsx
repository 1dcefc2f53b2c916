/** A section with a short list, such as the channels of a team, and the parts of its rows. */
import { Button } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import classes from './ListSection.module.css';
import { Section } from './Page';
import { ListFilters } from './ListFilters';
import type { ListColumn } from './ListTools';
import { EmptyState, ErrorState, SkeletonRows } from './PlaceholderStates';
import { useSearchedRows } from './list-search-context';
import type { HelpTopic } from './help-topics';

type ListQuery<Row> = {
  data?: { items: readonly Row[] };
  error: Error | null;
  isPending: boolean;
  refetch: () => unknown;
};

export type ListSectionProps<Row> = {
  title: string;
  /** Plural noun for the rows, if the title is not that: "exports". */
  noun?: string;
  aside: string;
  query: ListQuery<Row>;
  /** The button that adds a row, for users with the permission. */
  add: ReactNode;
  /** Text of the empty list. */
  empty: ReactNode;
  help?: HelpTopic;
  /** Content above the list, such as a secret that is shown once. */
  above?: ReactNode;
  row: (row: Row) => ReactNode;
  /** Columns whose text can be searched, and by which the rows can be sorted. */
  columns?: readonly (ListColumn<Row> & { head: string })[];
  /** The open dialogs. */
  children?: ReactNode;
};

/** A list of at most this many rows has no search. */
const SHORT_ROWS = 5;

/** Returns the filter that sorts a list without column headers. */
const orderOf = (columns: readonly { id: string; head: string }[]) => ({
  name: 'sort',
  label: 'Order',
  options: columns.flatMap(({ id, head }) => [
    { value: id, label: `${head}, ascending` },
    { value: `-${id}`, label: `${head}, descending` },
  ]),
});

export function ListSection<Row extends { id: string }>(props: ListSectionProps<Row>) {
  const {
    title,
    noun = title.toLowerCase(),
    aside,
    query,
    add,
    empty,
    help,
    above,
    row,
    columns = [],
    children,
  } = props;
  const all = query.data?.items ?? [];
  const { rows, own } = useSearchedRows(title, all, columns);
  return (
    <Section title={title} aside={aside} controls={all.length > 0 && add}>
      {above}
      {query.error && (
        <ErrorState
          what={`Could not load the ${noun}`}
          error={query.error}
          action={<Button onClick={() => void query.refetch()}>Try again</Button>}
        />
      )}
      {query.isPending && <SkeletonRows rows={2} height={42} />}
      {own && (all.length > SHORT_ROWS || rows.length < all.length) && (
        <ListFilters noun={noun} searched={noun} filters={[orderOf(columns)]} {...own}>
          {null}
        </ListFilters>
      )}
      {all.length > 0 && rows.length === 0 && <EmptyState>No {noun} match the search.</EmptyState>}
      {query.data && all.length === 0 && (
        <EmptyState action={add} help={help}>
          {empty}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <ul className={classes.list} aria-label={title}>
          {rows.map((one) => (
            <Fragment key={one.id}>{row(one)}</Fragment>
          ))}
        </ul>
      )}
      {children}
    </Section>
  );
}

export function ListRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <li className={classes.row} aria-label={label}>
      {children}
    </li>
  );
}

/** A line of a row; it wraps if the page is narrow. */
export function RowLine({ children, role }: { children: ReactNode; role?: 'status' }) {
  return (
    <div className={classes.line} role={role}>
      {children}
    </div>
  );
}

/** Text of a line that may be long without a space, such as a URL or a message of a server. */
export function RowText({ children, mono }: { children: ReactNode; mono?: boolean }) {
  return <span className={mono ? `mono ${classes.text}` : classes.text}>{children}</span>;
}

type ExpandProps = { noun: string; opened: boolean; onOpened: (opened: boolean) => void };

/** Shows or hides what belongs to a row. */
export function ExpandButton({ noun, opened, onOpened }: ExpandProps) {
  return (
    <button type="button" className="link" aria-expanded={opened} onClick={() => onOpened(!opened)}>
      {opened ? `Hide ${noun.toLowerCase()}` : noun}
    </button>
  );
}

/** The list inside a row. */
export function RowList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={classes.inner} aria-label={label}>
      {children}
    </ul>
  );
}

export function RowName({ children }: { children: ReactNode }) {
  return <b className={classes.name}>{children}</b>;
}

/** The actions of a row, at its right. */
export function RowActions({ children }: { children: ReactNode }) {
  return (
    <>
      <span className="grow" />
      <span className={classes.actions}>{children}</span>
    </>
  );
}

type ActionProps = {
  word: string;
  /** The accessible name: the word, and the name of the row. */
  label: string;
  onClick: () => void;
  loading?: boolean;
  /** Why it cannot be done now. */
  blocked?: string;
};

export function RowAction({ word, label, onClick, loading = false, blocked }: ActionProps) {
  return (
    <Button
      size="compact-xs"
      aria-label={label}
      loading={loading}
      disabled={blocked !== undefined}
      title={blocked}
      onClick={onClick}
    >
      {word}
    </Button>
  );
}
