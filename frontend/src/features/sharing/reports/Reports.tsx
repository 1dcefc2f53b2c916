/** All reports of the team. */
import { Button, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import type { Report } from '../../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  PageHeader,
  Section,
  SkeletonRows,
  StateIcon,
  Timestamp,
  Toolbar,
  useTitle,
  type Column,
  onText,
} from '../../../ui';
import { ReportTitleForm } from './ReportTitleForm';
import { createReport, reportsQuery } from './report-queries';

type ReportsProps = {
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
    <Button variant="filled" onClick={() => setMaking(true)}>
      New report
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Reports"
        sub="Investigations with text and snapshots of pages."
        actions={add}
      />
      <Toolbar label="Reports">
        <TextInput
          aria-label="Search reports"
          placeholder="Search"
          value={search}
          onChange={onText(onSearch)}
        />
      </Toolbar>
      <Section>
        {reports.error && (
          <ErrorState
            what="Could not load the reports"
            error={reports.error}
            action={<Button onClick={() => void reports.refetch()}>Try again</Button>}
          />
        )}
        {reports.isPending && <SkeletonRows rows={5} />}
        {reports.data && rows.length === 0 && (
          <EmptyState help="reports">
            {search === ''
              ? 'No reports yet. Create one here, or use “Add to report” on a comparison, a regression or the dashboard.'
              : 'No reports match.'}
          </EmptyState>
        )}
        {rows.length > 0 && (
          <DataTable
            label="Reports"
            columns={columns}
            rowCount={rows.length}
            rowAt={(index) => rows[index]!}
            rowKey={({ id }) => id}
            onRowClick={({ id }) => onOpen(id)}
            minWidth={920}
            tools={reports.hasNextPage ? 'part' : 'whole'}
          />
        )}
        {reports.hasNextPage && (
          <Button loading={reports.isFetchingNextPage} onClick={() => void reports.fetchNextPage()}>
            Show more
          </Button>
        )}
      </Section>
      {making && (
        <ReportTitleForm
          words={{
            head: 'New report',
            submit: 'Create report',
            failed: 'Could not create the report',
          }}
          title=""
          save={createReport}
          onSaved={({ id }) => onOpen(id)}
          onClose={() => setMaking(false)}
        />
      )}
    </>
  );
}

function columnsOf(link: ReportsProps['link']): Column<Report>[] {
  return [
    {
      id: 'title',
      head: 'Report',
      text: ({ title }) => title,
      cell: ({ id, title, number }) => (
        <>
          {link(id, title)} <span className="muted">#{number}</span>
        </>
      ),
    },
    {
      id: 'state',
      head: 'State',
      text: ({ version }) => (version === 0 ? 'draft' : `version ${version}`),
      width: 150,
      cell: ({ version }) => (
        <StateIcon glyph={version === 0 ? 'waiting' : 'done'}>
          {version === 0 ? 'draft' : `version ${version}`}
        </StateIcon>
      ),
    },
    {
      id: 'parts',
      head: 'Parts',
      text: ({ blocks }) => blocks.length,
      width: 90,
      align: 'right',
      cell: ({ blocks }) => blocks.length,
    },
    {
      id: 'links',
      head: 'Open links',
      text: ({ links_count }) => links_count,
      width: 100,
      align: 'right',
      cell: ({ links_count }) => (links_count === 0 ? '–' : links_count),
    },
    {
      id: 'by',
      head: 'Author',
      text: ({ created_by }) => created_by?.name ?? null,
      width: 160,
      cell: ({ created_by }) => <span className="cut">{created_by?.name ?? '–'}</span>,
    },
    {
      id: 'changed',
      head: 'Changed',
      text: ({ updated_at }) => updated_at,
      width: 130,
      align: 'right',
      cell: ({ updated_at }) => <Timestamp at={updated_at} />,
    },
  ];
}
