/** A paged table of all traces of a set; sortable, and searchable by root span. */
import { Button, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatCount, formatValue } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import {
  DataTable,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  Timestamp,
  countOf,
  type Column,
} from '../../../ui';
import { TRACES_A_PAGE, allTracesQuery, type TraceOfSet } from './span-queries';
import classes from './spans.module.css';
import { usualDescending, type TracesView } from './span-url';

type AllTracesProps = {
  artifactId: string;
  view: TracesView;
  onView: (view: TracesView) => void;
  traceLink: (artifactId: string, traceId: string, words: string) => ReactNode;
};

export function AllTraces({ artifactId, view, onView, traceLink }: AllTracesProps) {
  const found = useQuery({
    ...allTracesQuery(artifactId, view),
    placeholderData: keepPreviousData,
  });
  const rows = found.data?.items ?? [];
  const total = found.data?.total ?? 0;
  const first = view.page * TRACES_A_PAGE;
  return (
    <Section
      title="All traces"
      aside={found.data ? countOf(total, 'trace') : ''}
      controls={<Controls view={view} onView={onView} />}
    >
      {found.error ? (
        <ErrorState
          what="Could not load the traces"
          error={found.error}
          action={<Button onClick={() => void found.refetch()}>Try again</Button>}
        />
      ) : !found.data ? (
        <SkeletonRows rows={10} height={26} label="Loading traces" />
      ) : rows.length === 0 ? (
        <EmptyState>
          {total > 0
            ? 'This page is past the end of the list.'
            : view.words !== '' || view.errors
              ? 'No traces match.'
              : 'No traces recorded.'}
        </EmptyState>
      ) : (
        <DataTable
          label="All traces"
          columns={columnsOf(artifactId, traceLink)}
          rowCount={rows.length}
          rowAt={(index) => rows[index]!}
          rowKey={(row) => row.trace_id}
          rowHeight={26}
          sort={{ column: view.order, descending: view.descending }}
          onSort={({ column, descending }) => {
            const order = column as TracesView['order'];
            onView({
              ...view,
              order,
              descending: order === view.order ? descending : usualDescending(order),
              page: 0,
            });
          }}
          minWidth={860}
        />
      )}
      {(total > TRACES_A_PAGE || view.page > 0) && (
        <p className={classes.pager}>
          <Button
            disabled={view.page === 0}
            onClick={() => onView({ ...view, page: view.page - 1 })}
          >
            Previous
          </Button>
          <span className="muted" aria-live="polite">
            {rows.length > 0 &&
              `${formatCount(first + 1)} to ${formatCount(first + rows.length)} of ${formatCount(total)}`}
          </span>
          <Button
            disabled={first + TRACES_A_PAGE >= total}
            onClick={() => onView({ ...view, page: view.page + 1 })}
          >
            Next
          </Button>
        </p>
      )}
    </Section>
  );
}

function Controls({ view, onView }: Pick<AllTracesProps, 'view' | 'onView'>) {
  return (
    <span className={classes.controls}>
      <TextInput
        aria-label="Find traces by service or operation"
        placeholder="Find a service or operation"
        value={view.words}
        w={220}
        maxLength={200}
        onChange={(event) => onView({ ...view, words: event.currentTarget.value, page: 0 })}
      />
      <label className={classes.check}>
        <input
          type="checkbox"
          checked={view.errors}
          onChange={(event) => onView({ ...view, errors: event.currentTarget.checked, page: 0 })}
        />
        with errors
      </label>
    </span>
  );
}

function columnsOf(
  artifactId: string,
  traceLink: AllTracesProps['traceLink'],
): Column<TraceOfSet>[] {
  return [
    {
      id: 'root',
      head: 'Request',
      cell: (row) => (
        <span className="cut">
          <b>{visibleName(row.service)}</b>{' '}
          <span className="mono">
            {traceLink(artifactId, row.trace_id, visibleName(row.root) || 'without a name')}
          </span>
        </span>
      ),
    },
    {
      id: 'start',
      head: 'Start time',
      width: 170,
      sortable: true,
      cell: (row) => <Timestamp at={new Date(row.start_ns / 1e6).toISOString()} exact />,
    },
    number('duration', 'Duration', (row) => formatValue(row.duration_ns, 'ns')),
    number('gap', 'Longest gap', (row) => (row.gap_ns > 0 ? formatValue(row.gap_ns, 'ns') : '–')),
    number('spans', 'Spans', (row) => formatCount(row.spans)),
    {
      ...number('errors', 'Errors', () => ''),
      cell: (row) =>
        row.errors > 0 ? (
          <span className="err">{formatCount(row.errors)}</span>
        ) : (
          <span className="muted">–</span>
        ),
    },
  ];
}

const number = (
  id: string,
  head: string,
  cell: (row: TraceOfSet) => string,
): Column<TraceOfSet> => ({ id, head, width: 110, align: 'right', sortable: true, cell });
