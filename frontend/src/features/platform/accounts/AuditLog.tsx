import { Button, Menu, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuditEvent, TeamMembership } from '../../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  Timestamp,
  Toolbar,
  type Column,
} from '../../../ui';
import { canManageMembers } from './member-roles';
import classes from './Settings.module.css';
import { auditAddress, auditQuery, type AuditFilter } from './audit-filter';

const SETTLE_MS = 250;

function details(event: AuditEvent): string {
  const shown = Object.entries(event.details).filter(([name]) => name !== 'name');
  return shown
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

const COLUMNS: Column<AuditEvent>[] = [
  {
    id: 'at',
    head: 'Time',
    width: 150,
    cell: (event) => <Timestamp at={event.occurred_at} exact />,
  },
  {
    id: 'actor',
    head: 'Actor',
    width: 200,
    cell: (event) => (
      <>
        {event.actor}{' '}
        {event.actor_kind !== 'user' && <span className="muted">{event.actor_kind}</span>}
      </>
    ),
  },
  { id: 'action', head: 'Action', width: 200, mono: true, cell: (event) => event.action },
  {
    id: 'subject',
    head: 'Subject',
    width: '26%',
    cell: (event) => <span title={event.subject}>{event.subject}</span>,
  },
  {
    id: 'details',
    head: 'Details',
    cell: (event) => (
      <span className="t2" title={details(event)}>
        {details(event)}
      </span>
    ),
  },
];

const isFiltered = (filter: AuditFilter): boolean =>
  Object.values(filter).some((value) => value !== '');

/** The audit log: who changed what and when. It cannot be edited. */
export function AuditLog({ team }: { team: TeamMembership }) {
  const [wanted, setWanted] = useState<AuditFilter>({});
  const [asked] = useDebouncedValue(wanted, SETTLE_MS);
  const audit = useInfiniteQuery({
    ...auditQuery(team.id, asked),
    enabled: canManageMembers(team),
    placeholderData: keepPreviousData,
  });
  if (!canManageMembers(team))
    return (
      <Section title="Audit log">
        <EmptyState>Only admins and owners can view the audit log.</EmptyState>
      </Section>
    );
  const rows = audit.data?.pages.flatMap((page) => page.items) ?? [];
  // While the events of changed filters are loading, those of the former filters are shown.
  const filtered = isFiltered(wanted) || isFiltered(asked) || audit.isPlaceholderData;
  return (
    <>
      <Filters team={team} wanted={wanted} onWanted={setWanted} />
      <Section title="Audit log" aside="newest first">
        {audit.error && <ErrorState what="Could not load the audit log" error={audit.error} />}
        {audit.isPending && <SkeletonRows rows={8} />}
        {audit.data && rows.length === 0 && (
          <EmptyState action={filtered && <Button onClick={() => setWanted({})}>Show all</Button>}>
            {filtered
              ? 'No events match these filters.'
              : 'No events yet. Changes by users and tokens are listed here.'}
          </EmptyState>
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
            Load older events
          </Button>
        )}
      </Section>
    </>
  );
}

type FiltersProps = {
  team: TeamMembership;
  wanted: AuditFilter;
  onWanted: (wanted: AuditFilter) => void;
};

function Filters({ team, wanted, onWanted }: FiltersProps) {
  return (
    <Toolbar label="Filter the audit log">
      <TextInput
        aria-label="Actor"
        placeholder="name"
        className={classes.filter}
        value={wanted.actor ?? ''}
        onChange={(event) => onWanted({ ...wanted, actor: event.currentTarget.value })}
      />
      <TextInput
        aria-label="Action"
        placeholder="artifact, team.renamed"
        className={classes.filter}
        value={wanted.action ?? ''}
        onChange={(event) => onWanted({ ...wanted, action: event.currentTarget.value })}
      />
      <label className={classes.when}>
        from
        <input
          type="date"
          value={wanted.since ?? ''}
          onChange={(event) => onWanted({ ...wanted, since: event.currentTarget.value })}
        />
      </label>
      <label className={classes.when}>
        up to
        <input
          type="date"
          value={wanted.until ?? ''}
          onChange={(event) => onWanted({ ...wanted, until: event.currentTarget.value })}
        />
      </label>
      <span className="grow" />
      <Menu>
        <Menu.Target>
          <Button>Download</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href={auditAddress(team.id, wanted, 'csv')} download>
            As CSV
          </Menu.Item>
          <Menu.Item component="a" href={auditAddress(team.id, wanted, 'json')} download>
            As JSON lines
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Toolbar>
  );
}
