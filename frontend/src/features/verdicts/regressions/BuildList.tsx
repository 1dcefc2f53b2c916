/** The builds of all services with their evidence and verdicts; two of them can be compared. */
import { Checkbox } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { ListedBuild } from '../../../api';
import {
  EmptyState,
  PageHeader,
  PagedTable,
  Section,
  SelectionBar,
  SkeletonRows,
  Timestamp,
  useIsSnapshot,
  usePagedList,
  useTitle,
  type Column,
} from '../../../ui';
import { ListFilters } from '../../../ui/ListFilters';
import { isFiltered } from '../../../lib/list-search';
import { shortCommit } from '../../../lib/commits';
import { evidenceText } from '../comparison_previews';
import { BuildVerdictWord } from './BuildVerdictWord';
import type { BuildListSearch } from './build-list-url';
import { buildListQuery } from './regression-queries';
import { VERDICT_LABELS } from './regression-wording';

export type BuildListProps = {
  search: BuildListSearch;
  onSearch: (search: BuildListSearch) => void;
  services: { id: string; name: string }[];
  link: (buildId: string, words: ReactNode) => ReactNode;
  /** A link to the commit of a build with its patch, or the words alone. */
  commitLink: (build: ListedBuild, words: ReactNode) => ReactNode;
  compareLink: (base: ListedBuild, candidate: ListedBuild, words: string) => ReactNode;
  onOpen: (build: ListedBuild) => void;
};

export default function BuildList(props: BuildListProps) {
  const { search, onSearch, services, compareLink, onOpen } = props;
  useTitle('Builds');
  const [selected, setSelected] = useState<ListedBuild[]>([]);
  const builds = usePagedList(buildListQuery(search), search);
  const isSnapshot = useIsSnapshot();
  const names = new Map(services.map(({ id, name }) => [id, name]));
  const toggle = (build: ListedBuild) => {
    const others = selected.filter(({ id }) => id !== build.id);
    // The two sides of a comparison: a third build replaces the first.
    setSelected(others.length < selected.length ? others : [...others, build].slice(-2));
  };
  return (
    <>
      <PageHeader
        title="Builds"
        sub="A commit built with one Go version, platform and set of flags, with the artifacts recorded from it. Select two to compare them."
      />
      <ListFilters
        noun="builds"
        searched="commits, names, titles"
        filters={[
          {
            name: 'service',
            label: 'Service',
            options: services.map(({ id, name }) => ({ value: id, label: name })),
          },
          { name: 'branch', label: 'Branch' },
        ]}
        search={search}
        onSearch={onSearch}
      />
      <Section>
        <PagedTable
          label="Builds"
          list={builds}
          sorting={{ search, onSort: (sort) => onSearch({ ...search, sort }) }}
          columns={columnsOf(names, props, (build) => (
            <SelectCell
              build={build}
              checked={selected.some(({ id }) => id === build.id)}
              onToggle={() => toggle(build)}
            />
          )).filter(({ id }) => id !== 'select' || !isSnapshot)}
          selectedKeys={new Set(selected.map(({ id }) => id))}
          rowHeight={42}
          onRowClick={onOpen}
          minWidth={1080}
          loading={<SkeletonRows rows={8} height={42} />}
          empty={
            <EmptyState help="ci">
              {isFiltered(search)
                ? 'No builds match these filters.'
                : 'No builds yet. Upload artifacts of each build from CI.'}
            </EmptyState>
          }
        />
      </Section>
      {selected.length > 0 && (
        <SelectedBuilds
          selected={selected}
          compareLink={compareLink}
          onClear={() => setSelected([])}
        />
      )}
    </>
  );
}

type SelectProps = { build: ListedBuild; checked: boolean; onToggle: () => void };

function SelectCell({ build, checked, onToggle }: SelectProps) {
  return (
    <span role="presentation" onClick={(event) => event.stopPropagation()}>
      <Checkbox
        aria-label={`Select build ${shortCommit(build.commit)}`}
        checked={checked}
        onChange={onToggle}
      />
    </span>
  );
}

function columnsOf(
  names: Map<string, string>,
  { link, commitLink }: Pick<BuildListProps, 'link' | 'commitLink'>,
  select: (build: ListedBuild) => ReactNode,
): Column<ListedBuild>[] {
  const dash = <span className="muted">–</span>;
  return [
    { id: 'select', head: '', label: 'selected', width: 32, cell: select },
    {
      id: 'commit',
      head: 'Commit',
      text: ({ commit }) => commit,
      width: 108,
      mono: true,
      cell: ({ id, commit }) => <span title={commit}>{link(id, shortCommit(commit))}</span>,
    },
    {
      id: 'title',
      head: 'Title',
      text: ({ title }) => title,
      cell: (build) => <Title build={build} commitLink={commitLink} />,
    },
    {
      id: 'service',
      head: 'Service',
      text: ({ service_id }) => names.get(service_id) ?? null,
      width: '10%',
      cell: ({ service_id }) => names.get(service_id) ?? dash,
    },
    {
      id: 'branch',
      head: 'Branch',
      text: ({ branch }) => branch,
      width: '12%',
      mono: true,
      cell: ({ branch }) => branch ?? dash,
    },
    {
      id: 'author',
      head: 'Author',
      text: ({ author }) => author,
      width: '11%',
      cell: ({ author }) => author ?? dash,
    },
    {
      id: 'evidence',
      head: 'Evidence',
      text: ({ evidence }) => evidenceText(evidence),
      width: '18%',
      cell: (build) => <Evidence build={build} />,
    },
    {
      id: 'verdict',
      head: 'Verdict',
      text: ({ verdict }) => verdict && VERDICT_LABELS[verdict.state][1],
      width: 132,
      cell: ({ verdict }) =>
        verdict ? <BuildVerdictWord state={verdict.state} detail={verdict.sentence} /> : dash,
    },
    {
      id: 'at',
      head: 'First seen',
      text: ({ created_at }) => created_at,
      width: 130,
      align: 'right',
      cell: ({ created_at }) => <Timestamp at={created_at} />,
    },
  ];
}

function Title({ build, commitLink }: { build: ListedBuild } & Pick<BuildListProps, 'commitLink'>) {
  const { title, display_name: name } = build;
  if (!title) return name ?? <span className="muted">–</span>;
  return (
    <>
      {name && `${name} · `}
      {commitLink(build, title)}
    </>
  );
}

function Evidence({ build: { evidence, waiting_artifacts: waiting } }: { build: ListedBuild }) {
  const text = [evidenceText(evidence), waiting > 0 && `${waiting} being decoded`]
    .filter(Boolean)
    .join(', ');
  return text === '' ? <span className="muted">none</span> : <span title={text}>{text}</span>;
}

type SelectedProps = Pick<BuildListProps, 'compareLink'> & {
  selected: ListedBuild[];
  onClear: () => void;
};

/** The older one is the base. */
function SelectedBuilds({ selected, compareLink, onClear }: SelectedProps) {
  const [base, candidate] = [...selected].sort((a, b) => a.created_at.localeCompare(b.created_at));
  const name = (build: ListedBuild) => <span className="mono">{shortCommit(build.commit)}</span>;
  return (
    <SelectionBar
      label="Selected builds"
      text={
        base && candidate ? (
          <>
            base {name(base)}, candidate {name(candidate)}
          </>
        ) : (
          base && <>{name(base)} selected. Select another build to compare.</>
        )
      }
      onClear={onClear}
    >
      {base && candidate && compareLink(base, candidate, 'Compare these builds')}
    </SelectionBar>
  );
}
