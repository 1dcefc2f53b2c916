/** All reports of the team. */
import { Button, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import type { Report } from '../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  PageHead,
  Section,
  SkeletonRows,
  StateGlyph,
  Time,
  Toolbar,
  useTitle,
  type Column,
} from '../../ui';
import { TitleForm } from './TitleForm';
import { createReport, reportsQuery } from './queries';

export type ReportsProps = {
  search: string;
  onSearch: (search: string) => void;
  onOpen: (id: string) => void;
  link: (id: string, words: ReactNode) => ReactNode;
  mayWrite: boolean;
};

export default function Reports({ search, onSearch, onOpen, link, mayWrite }: ReportsProps) {
  useTitle('Reports');
  const reports = useInfiniteQuery(reportsQuery(search));
  const [making, setMaking] = useState(false);
  const rows = reports.data?.pages.flatMap(({ items }) => items) ?? [];
  const columns = useMemo(() => columnsOf(link), [link]);
  const add = mayWrite && (
    <Button
      variant="filled"
      onClick={() => {
        setMaking(true);
      }}
    >
      New report
    </Button>
  );
  return (
    <>
      <PageHead
        title="Reports"
        sub="An investigation told once: pages frozen as they were, and what is to be said about them."
        actions={add}
      />
      <Toolbar label="Reports">
        <TextInput
          aria-label="Search reports"
          placeholder="Search"
          value={search}
          onChange={(event) => {
            onSearch(event.currentTarget.value);
          }}
        />
      </Toolbar>
      <Section>
        {reports.error && (
          <ErrorState
            what="The reports could not be read"
            error={reports.error}
            action={<Button onClick={() => void reports.refetch()}>Try again</Button>}
          />
        )}
        {reports.isPending && <SkeletonRows rows={5} />}
        {reports.data && rows.length === 0 && (
          <EmptyState>
            {search === ''
              ? 'No report yet. Begin one here, or with “Add to report” on a comparison, a regression or the board.'
              : 'No report has a title like that.'}
          </EmptyState>
        )}
        {rows.length > 0 && (
          <DataTable
            label="Reports"
            columns={columns}
            rowCount={rows.length}
            rowAt={(index) => rows[index]!}
            rowKey={({ id }) => id}
            onRowClick={({ id }) => {
              onOpen(id);
            }}
            minWidth={920}
          />
        )}
        {reports.hasNextPage && (
          <Button loading={reports.isFetchingNextPage} onClick={() => void reports.fetchNextPage()}>
            Show more
          </Button>
        )}
      </Section>
      {making && (
        <TitleForm
          words={{
            head: 'New report',
            submit: 'Begin report',
            failed: 'The report was not begun',
          }}
          title=""
          keep={createReport}
          onKept={({ id }) => {
            onOpen(id);
          }}
          onClose={() => {
            setMaking(false);
          }}
        />
      )}
    </>
  );
}

function columnsOf(link: ReportsProps['link']): Column<Report>[] {
  return [
    {
      id: 'title',
      head: 'report',
      cell: ({ id, title, number }) => (
        <>
          {link(id, title)} <span className="muted">#{number}</span>
        </>
      ),
    },
    {
      id: 'state',
      head: 'state',
      width: 150,
      cell: ({ version }) => (
        <StateGlyph glyph={version === 0 ? 'waiting' : 'done'}>
          {version === 0 ? 'draft' : `version ${version}`}
        </StateGlyph>
      ),
    },
    {
      id: 'parts',
      head: 'parts',
      width: 90,
      align: 'right',
      cell: ({ blocks }) => blocks.length,
    },
    {
      id: 'links',
      head: 'open links',
      width: 100,
      align: 'right',
      cell: ({ links_count }) => (links_count === 0 ? '–' : links_count),
    },
    {
      id: 'by',
      head: 'by',
      width: 160,
      cell: ({ created_by }) => <span className="cut">{created_by?.name ?? '–'}</span>,
    },
    {
      id: 'changed',
      head: 'changed',
      width: 130,
      align: 'right',
      cell: ({ changed_at }) => <Time at={changed_at} />,
    },
  ];
}
