import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditEvent, TeamMembership } from '../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  Time,
  type Column,
} from '../../ui';
import { mayManage } from './Members';
import { auditQuery } from './queries';

function details(event: AuditEvent): string {
  const shown = Object.entries(event.details).filter(([name]) => name !== 'name');
  return shown
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

const COLUMNS: Column<AuditEvent>[] = [
  { id: 'at', head: 'when', width: 150, cell: (event) => <Time at={event.at} exact /> },
  {
    id: 'actor',
    head: 'who',
    width: 200,
    cell: (event) => (
      <>
        {event.actor}{' '}
        {event.actor_kind !== 'person' && <span className="muted">{event.actor_kind}</span>}
      </>
    ),
  },
  { id: 'action', head: 'did', width: 200, mono: true, cell: (event) => event.action },
  {
    id: 'subject',
    head: 'to',
    width: '26%',
    cell: (event) => <span title={event.subject}>{event.subject}</span>,
  },
  {
    id: 'details',
    head: 'details',
    cell: (event) => (
      <span className="t2" title={details(event)}>
        {details(event)}
      </span>
    ),
  },
];

/** Who changed what, when. It can not be edited, by anyone. */
export function AuditLog({ team }: { team: TeamMembership }) {
  const audit = useInfiniteQuery({ ...auditQuery(team.id), enabled: mayManage(team) });
  if (!mayManage(team))
    return (
      <Section title="Audit log">
        <EmptyState>The log is read by admins and owners.</EmptyState>
      </Section>
    );
  const rows = audit.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section title="Audit log" aside="newest first">
      {audit.error && <ErrorState error={audit.error} />}
      {audit.isPending && <SkeletonRows rows={8} />}
      {audit.data && rows.length === 0 && (
        <EmptyState>Every change by a person or a token will be listed here.</EmptyState>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Audit log"
          columns={COLUMNS}
          rowCount={rows.length}
          rowAt={(index) => rows[index]!}
          rowKey={(event) => event.id}
          rowHeight={28}
          minWidth={860}
        />
      )}
      {audit.hasNextPage && (
        <Button
          my="md"
          loading={audit.isFetchingNextPage}
          onClick={() => void audit.fetchNextPage()}
        >
          Older changes
        </Button>
      )}
    </Section>
  );
}
