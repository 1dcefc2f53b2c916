/** What a team keeps a few of (hooks, channels, sources): a section with its list, and a row of that list. */
import { Button } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import classes from './ListSection.module.css';
import { Section } from './Page';
import { EmptyState, ErrorState, SkeletonRows } from './PlaceholderStates';
import type { HelpTopic } from './help-topics';

type Kept<Row> = {
  data?: { items: readonly Row[] };
  error: Error | null;
  isPending: boolean;
  refetch: () => unknown;
};

type SectionProps<Row> = {
  title: string;
  /** Its content, where the title does not say it: "exports". */
  noun?: string;
  aside: string;
  kept: Kept<Row>;
  /** The button that adds one, for those who may. */
  add: ReactNode;
  /** What will stand here. */
  empty: ReactNode;
  help?: HelpTopic;
  /** Above the list: a secret that is shown once. */
  above?: ReactNode;
  row: (row: Row) => ReactNode;
  /** The dialogs that are open. */
  children?: ReactNode;
};

export function ListSection<Row extends { id: string }>(props: SectionProps<Row>) {
  const {
    title,
    noun = title.toLowerCase(),
    aside,
    kept,
    add,
    empty,
    help,
    above,
    row,
    children,
  } = props;
  const rows = kept.data?.items ?? [];
  return (
    <Section title={title} aside={aside} controls={rows.length > 0 && add}>
      {above}
      {kept.error && (
        <ErrorState
          what={`Could not load the ${noun}`}
          error={kept.error}
          action={<Button onClick={() => void kept.refetch()}>Try again</Button>}
        />
      )}
      {kept.isPending && <SkeletonRows rows={2} height={42} />}
      {kept.data && rows.length === 0 && (
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

/** A line of a row, wrapped where it is narrow. */
export function RowLine({ children, role }: { children: ReactNode; role?: 'status' }) {
  return (
    <div className={classes.line} role={role}>
      {children}
    </div>
  );
}

export function RowName({ children }: { children: ReactNode }) {
  return <b className={classes.name}>{children}</b>;
}

/** What may be done with a row, at the right. */
export function RowActions({ children }: { children: ReactNode }) {
  return (
    <>
      <span className="grow" />
      <span className={classes.acts}>{children}</span>
    </>
  );
}

type ActProps = {
  word: string;
  /** What is read out: the word, and of which row. */
  label: string;
  onClick: () => void;
  loading?: boolean;
  /** Why it cannot be done now. */
  blocked?: string;
};

export function RowAction({ word, label, onClick, loading = false, blocked }: ActProps) {
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
