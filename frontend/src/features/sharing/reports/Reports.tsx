/** The list of all reports of the team. */
import { Button } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import type { Report } from '../../../api';
import {
  EmptyState,
  PageHeader,
  PagedTable,
  Section,
  SkeletonRows,
  StateIcon,
  Timestamp,
  usePagedList,
  useTitle,
  type Column,
} from '../../../ui';
import { ListFilters } from '../../../ui/ListFilters';
import { isFiltered } from '../../../lib/list-search';
import type { ListSearch } from '../../../lib/list-search';
import { ReportTitleForm } from './ReportTitleForm';
import { createReport, reportsQuery } from './report-queries';

type ReportsProps = {
  search: ListSearch;
  onSearch: (search: ListSearch) => void;
  onOpen: (id: string) => void;
  link: (id: string, words: ReactNode) => ReactNode;
  mayWrite: boolean;
};

export default function Reports({ search, onSearch, onOpen, link, mayWrite }: ReportsProps) {
  useTitle('Reports');
  const reports = usePagedList(reportsQuery(search.q), search);
  const [making, setMaking] = useState(false);
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
      <ListFilters noun="reports" searched="titles" search={search} onSearch={onSearch} />
      <Section>
        <PagedTable
          label="Reports"
          list={reports}
          sorting={{ search, onSort: (sort) => onSearch({ ...search, sort }) }}
          columns={columns}
          onRowClick={({ id }) => onOpen(id)}
          minWidth={920}
          loading={<SkeletonRows rows={5} />}
          empty={
            <EmptyState help="reports">
              {isFiltered(search)
                ? 'No reports match.'
                : 'No reports yet. Create one here, or use “Add to report” on a comparison, a regression or the dashboard.'}
            </EmptyState>
          }
        />
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
