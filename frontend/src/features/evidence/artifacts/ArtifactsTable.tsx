/** All files of the team: what each is, what became of it, and what can be done about it. */
import { Button, Menu, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import type { Artifact } from '../../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  StateIcon,
  Timestamp,
  Toolbar,
  sizeText,
  type Column,
} from '../../../ui';
import { usePollWhile } from '../../platform/jobs';
import { DeleteArtifact } from './DeleteArtifact';
import classes from './Files.module.css';
import {
  artifactsQuery,
  isUnderWay,
  originalAddress,
  retryArtifact,
  type Wanted,
} from './artifact-queries';
import { KIND_CHOICES, STATE_ICONS, describe, stateText } from './artifact-wording';

type TableProps = {
  wanted: Wanted;
  onWanted: (wanted: Wanted) => void;
  onOpen: (artifact: Artifact) => void;
  link: (artifact: Artifact) => ReactNode;
  upload: ReactNode;
  mayWrite: boolean;
  /** Names of people and builds by id; the caller knows them. */
  whom: (userId: string | null) => ReactNode;
  build: (buildId: string | null) => ReactNode;
  /** The expiry date of an artifact; not given where retention is unlimited. */
  kept?: ((artifact: Artifact) => ReactNode) | undefined;
};

const STATES: Artifact['state'][] = ['received', 'decoding', 'decoded', 'invalid', 'failed'];

export function ArtifactsTable({
  wanted,
  onWanted,
  onOpen,
  link,
  upload,
  mayWrite,
  whom,
  build,
  kept,
}: TableProps) {
  const pollWhile = usePollWhile();
  const artifacts = useInfiniteQuery({
    ...artifactsQuery(wanted),
    refetchInterval: (query) =>
      pollWhile(query.state.data?.pages.some((page) => page.items.some(isUnderWay)) ?? false),
  });
  const again = useRetry();
  const [leaving, setLeaving] = useState<Artifact | null>(null);
  const rows = useMemo(
    () => artifacts.data?.pages.flatMap((page) => page.items) ?? [],
    [artifacts.data],
  );
  const columns: Column<Artifact>[] = [
    {
      id: 'state',
      head: 'State',
      width: 140,
      cell: (row) => <StateIcon glyph={STATE_ICONS[row.state]}>{stateText(row)}</StateIcon>,
    },
    {
      id: 'name',
      head: 'Artifact',
      cell: (row) => (
        <span className={classes.twoLines}>
          <span className="mono">{link(row)}</span>
          <span className={row.error ? classes.reason : classes.second}>
            {row.error?.detail ?? describe(row)}
          </span>
        </span>
      ),
    },
    {
      id: 'samples',
      head: 'Samples',
      width: 90,
      align: 'right',
      cell: (row) => row.profile?.samples.toLocaleString('en') ?? <span className="muted">–</span>,
    },
    {
      id: 'size',
      head: 'Size',
      width: 90,
      align: 'right',
      cell: (row) => sizeText(row.size_bytes),
    },
    { id: 'build', head: 'Build', width: '15%', cell: (row) => build(row.build_id) },
    {
      id: 'by',
      head: 'Uploaded by',
      width: '11%',
      cell: (row) => <span className="t2">{whom(row.created_by)}</span>,
    },
    {
      id: 'at',
      head: 'Received',
      width: 150,
      align: 'right',
      cell: (row) => <Timestamp at={row.created_at} />,
    },
    ...(kept
      ? [{ id: 'kept', head: 'Expires', width: 120, align: 'right' as const, cell: kept }]
      : []),
    {
      id: 'act',
      head: '',
      label: 'actions',
      width: 40,
      align: 'right',
      cell: (row) => (
        <span
          role="presentation"
          onClick={(event) => {
            event.stopPropagation();
          }}
        >
          <Menu>
            <Menu.Target>
              <button type="button" className={classes.dots} aria-label={`Actions for ${row.name}`}>
                ⋯
              </button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item component="a" href={originalAddress(row.id)} download>
                Download original
              </Menu.Item>
              {mayWrite && (row.state === 'invalid' || row.state === 'failed') && (
                <Menu.Item
                  onClick={() => {
                    again.mutate(row.id);
                  }}
                >
                  Try again
                </Menu.Item>
              )}
              {mayWrite && (
                <Menu.Item
                  onClick={() => {
                    setLeaving(row);
                  }}
                >
                  Delete artifact
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        </span>
      ),
    },
  ];
  const filtered = [wanted.name, wanted.state, wanted.kind].some((value) => value !== undefined);
  return (
    <>
      {leaving && (
        <DeleteArtifact
          file={leaving}
          onClose={() => {
            setLeaving(null);
          }}
        />
      )}
      <Toolbar label="Filter artifacts">
        <Select
          aria-label="State"
          placeholder="any state"
          clearable
          data={STATES}
          value={wanted.state ?? null}
          onChange={(state) => {
            onWanted({ ...wanted, state: state ?? undefined });
          }}
          w={130}
        />
        <Select
          aria-label="Kind"
          placeholder="any kind"
          clearable
          data={KIND_CHOICES}
          value={wanted.kind ?? null}
          onChange={(kind) => {
            onWanted({ ...wanted, kind: kind ?? undefined });
          }}
          w={170}
        />
        <TextInput
          aria-label="Search artifacts"
          placeholder="Search names"
          value={wanted.name ?? ''}
          onChange={(event) => {
            onWanted({ ...wanted, name: event.currentTarget.value || undefined });
          }}
        />
      </Toolbar>
      <Section>
        {again.error && <ErrorState error={again.error} />}
        {artifacts.error && (
          <ErrorState
            error={artifacts.error}
            action={<Button onClick={() => void artifacts.refetch()}>Try again</Button>}
          />
        )}
        {artifacts.isPending && <SkeletonRows rows={8} height={42} />}
        {artifacts.data && rows.length === 0 && (
          <EmptyState
            action={filtered ? undefined : upload}
            help={filtered ? undefined : 'profiles'}
          >
            {filtered
              ? 'No artifacts match these filters.'
              : 'No artifacts yet. Uploads are listed here, including rejected files with the reason.'}
          </EmptyState>
        )}
        {rows.length > 0 && (
          <DataTable
            label="Artifacts"
            columns={columns}
            rowCount={rows.length}
            rowAt={(index) => rows[index]!}
            rowKey={(row) => row.id}
            rowHeight={42}
            onRowClick={onOpen}
            minWidth={980}
          />
        )}
        {artifacts.hasNextPage && (
          <Button
            my="md"
            loading={artifacts.isFetchingNextPage}
            onClick={() => void artifacts.fetchNextPage()}
          >
            Load older artifacts
          </Button>
        )}
      </Section>
    </>
  );
}

/** Trying again, with everything that shows files read again after. */
export function useRetry() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: retryArtifact,
    onSettled: () => client.invalidateQueries({ queryKey: ['artifact'] }),
  });
}
