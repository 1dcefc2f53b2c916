/** A table of all artifacts of the team, with filters, and retry and deletion of each. */
import { Button, Checkbox, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Artifact } from '../../../api';
import {
  EmptyState,
  ErrorState,
  PagedTable,
  Section,
  SelectionBar,
  SkeletonRows,
  StateIcon,
  Timestamp,
  countOf,
  sizeText,
  usePagedList,
  type Column,
} from '../../../ui';
import { ListFilters } from '../../../ui/ListFilters';
import { isFiltered } from '../../../lib/list-search';
import { usePollWhile } from '../../platform/jobs';
import { DeleteArtifact } from './DeleteArtifact';
import classes from './Files.module.css';
import { artifactsQuery, isUnderWay, originalAddress, retryArtifact } from './artifact-queries';
import { ARTIFACT_STATES, type ArtifactsSearch } from './artifacts-url';
import { sidesOfSelection } from './selection-sides';
import { KIND_CHOICES, STATE_ICONS, describe, hasOriginal, stateText } from './artifact-wording';

/** Cells with names and links from other features. */
export type ArtifactCells = {
  link: (artifact: Artifact) => ReactNode;
  uploader: (userId: string | null) => ReactNode;
  build: (buildId: string | null) => ReactNode;
  /** Returns the expiry date of an artifact; undefined if retention is unlimited. */
  expiry?: ((artifact: Artifact) => ReactNode) | undefined;
};

type TableProps = {
  search: ArtifactsSearch;
  onSearch: (search: ArtifactsSearch) => void;
  onOpen: (artifact: Artifact) => void;
  upload: ReactNode;
  mayWrite: boolean;
  cells: ArtifactCells;
  /** Returns a link to the choice of sides, with these artifacts on them. */
  compareLink: CompareArtifacts;
  /** Returns a button that opens several artifacts as one set. */
  openTogether: (artifacts: Artifact[]) => ReactNode;
};

type CompareArtifacts = (base: string[], candidate: string[], words: string) => ReactNode;

type MenuProps = {
  artifact: Artifact;
  mayWrite: boolean;
  onOpen: (artifact: Artifact) => void;
  onRetry: (id: string) => void;
  onDelete: (artifact: Artifact) => void;
};

function ArtifactMenu({ artifact, mayWrite, onOpen, onRetry, onDelete }: MenuProps) {
  return (
    <span role="presentation" onClick={(event) => event.stopPropagation()}>
      <Menu>
        <Menu.Target>
          <button type="button" className="icon-button" aria-label={`Actions for ${artifact.name}`}>
            ⋯
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => onOpen(artifact)}>Open</Menu.Item>
          {hasOriginal(artifact) && (
            <Menu.Item component="a" href={originalAddress(artifact.id)} download>
              Download original
            </Menu.Item>
          )}
          {mayWrite && (artifact.state === 'invalid' || artifact.state === 'failed') && (
            <Menu.Item onClick={() => onRetry(artifact.id)}>Try again</Menu.Item>
          )}
          {mayWrite && <Menu.Item onClick={() => onDelete(artifact)}>Delete artifact</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
    </span>
  );
}

function columnsOf(
  cells: ArtifactCells,
  select: (artifact: Artifact) => ReactNode,
  menu: (artifact: Artifact) => ReactNode,
): Column<Artifact>[] {
  return [
    { id: 'select', head: '', label: 'selected', width: 32, cell: select },
    {
      id: 'state',
      head: 'State',
      text: stateText,
      width: 140,
      cell: (row) => <StateIcon glyph={STATE_ICONS[row.state]}>{stateText(row)}</StateIcon>,
    },
    {
      id: 'name',
      head: 'Artifact',
      text: ({ name }) => name,
      cell: (row) => (
        <span className={classes.twoLines}>
          <span className="mono">{cells.link(row)}</span>
          <span className={row.error ? classes.reason : classes.second} title={row.error?.detail}>
            {row.error?.detail ?? describe(row)}
          </span>
        </span>
      ),
    },
    {
      id: 'samples',
      head: 'Samples',
      text: ({ profile }) => profile?.samples ?? null,
      width: 90,
      align: 'right',
      cell: (row) => row.profile?.samples.toLocaleString('en') ?? <span className="muted">–</span>,
    },
    {
      id: 'size',
      head: 'Size',
      text: ({ size_bytes }) => size_bytes,
      width: 90,
      align: 'right',
      cell: (row) => sizeText(row.size_bytes),
    },
    { id: 'build', head: 'Build', width: '15%', cell: (row) => cells.build(row.build_id) },
    {
      id: 'by',
      head: 'Uploaded by',
      width: '11%',
      cell: (row) => <span className="t2">{cells.uploader(row.created_by)}</span>,
    },
    {
      id: 'at',
      head: 'Received',
      text: ({ created_at }) => created_at,
      width: 150,
      align: 'right',
      cell: (row) => <Timestamp at={row.created_at} />,
    },
    ...(cells.expiry
      ? [{ id: 'expiry', head: 'Expires', width: 120, align: 'right' as const, cell: cells.expiry }]
      : []),
    {
      id: 'act',
      head: '',
      label: 'actions',
      width: 40,
      align: 'right',
      cell: menu,
    },
  ];
}

export function ArtifactsTable(props: TableProps) {
  const { search, onSearch, onOpen, upload, mayWrite, cells } = props;
  const pollWhile = usePollWhile();
  const artifacts = usePagedList(artifactsQuery(search), {
    sort: search.sort,
    pollAfterMs: (rows) => pollWhile(rows.some(isUnderWay)),
  });
  const again = useRetry();
  const [selected, setSelected] = useState<Artifact[]>([]);
  const [deleting, setDeleting] = useState<Artifact | null>(null);
  const filtered = isFiltered(search);
  return (
    <>
      {deleting && <DeleteArtifact file={deleting} onClose={() => setDeleting(null)} />}
      <ListFilters
        noun="artifacts"
        searched="names"
        filters={[
          { name: 'state', label: 'State', options: ARTIFACT_STATES },
          { name: 'kind', label: 'Kind', options: KIND_CHOICES },
        ]}
        search={search}
        onSearch={onSearch}
      />
      <Section>
        {again.error && <ErrorState error={again.error} />}
        <PagedTable
          label="Artifacts"
          list={artifacts}
          sorting={{ search, onSort: (sort) => onSearch({ ...search, sort }) }}
          columns={columnsOf(
            cells,
            (artifact) => (
              <SelectCell artifact={artifact} selected={selected} onSelected={setSelected} />
            ),
            (artifact) => (
              <ArtifactMenu
                artifact={artifact}
                mayWrite={mayWrite}
                onOpen={onOpen}
                onRetry={again.mutate}
                onDelete={setDeleting}
              />
            ),
          )}
          selectedKeys={new Set(selected.map(({ id }) => id))}
          rowHeight={42}
          onRowClick={onOpen}
          minWidth={1012}
          loading={<SkeletonRows rows={8} height={42} />}
          empty={
            <EmptyState
              action={filtered ? undefined : upload}
              help={filtered ? undefined : 'profiles'}
            >
              {filtered
                ? 'No artifacts match these filters.'
                : 'No artifacts yet. Uploads are listed here, including rejected files with the reason.'}
            </EmptyState>
          }
        />
      </Section>
      {selected.length > 0 && (
        <SelectedArtifacts
          selected={selected}
          compareLink={props.compareLink}
          openTogether={props.openTogether}
          onOpen={onOpen}
          onClear={() => setSelected([])}
        />
      )}
    </>
  );
}

type SelectProps = {
  artifact: Artifact;
  selected: Artifact[];
  onSelected: (selected: Artifact[]) => void;
};

function SelectCell({ artifact, selected, onSelected }: SelectProps) {
  const others = selected.filter(({ id }) => id !== artifact.id);
  const checked = others.length < selected.length;
  return (
    <span role="presentation" onClick={(event) => event.stopPropagation()}>
      <Checkbox
        aria-label={`Select ${artifact.name}`}
        checked={checked}
        onChange={() => onSelected(checked ? others : [...others, artifact])}
      />
    </span>
  );
}

type SelectedProps = Pick<TableProps, 'compareLink' | 'openTogether' | 'onOpen'> & {
  selected: Artifact[];
  onClear: () => void;
};

/** The actions for selected artifacts. The sides are a proposal; the next page can change them. */
function SelectedArtifacts({ selected, onOpen, onClear, ...props }: SelectedProps) {
  const { base, candidate } = sidesOfSelection(selected);
  const [first, second] = selected;
  return (
    <SelectionBar
      label="Selected artifacts"
      text={`${countOf(selected.length, 'artifact')} selected${
        second ? `: base ${base.length}, candidate ${candidate.length}` : ''
      }`}
      onClear={onClear}
    >
      {first && !second && <Button onClick={() => onOpen(first)}>Open</Button>}
      {second && props.openTogether(selected)}
      {props.compareLink(
        base,
        candidate,
        second ? 'Compare as base and candidate' : 'Compare with…',
      )}
    </SelectionBar>
  );
}

/** Retries an artifact, then refetches all queries of artifacts. */
export function useRetry() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: retryArtifact,
    onSettled: () => client.invalidateQueries({ queryKey: ['artifact'] }),
  });
}
