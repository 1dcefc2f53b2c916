/** The builds of a service, which can be searched, created, renamed and deleted. */
import { Button, Menu, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Build } from '../../../api';
import {
  DeleteResource,
  EmptyState,
  ErrorState,
  PagedTable,
  usePagedList,
  Section,
  SkeletonRows,
  Timestamp,
  type Column,
  onText,
} from '../../../ui';
import { shortCommit } from '../../../lib/commits';
import classes from './Catalog.module.css';
import { UploadSteps } from './UploadSteps';
import {
  buildsQuery,
  updateBuild,
  createBuild,
  deleteBuild,
  type BuildFields,
} from './catalog-queries';

function DeleteBuild({ build, onDone }: { build: Build; onDone: () => void }) {
  return (
    <DeleteResource
      name={build.display_name ?? shortCommit(build.commit)}
      noun="build"
      request={() => deleteBuild(build.id)}
      stale={['build']}
      onClose={onDone}
    >
      Deletes its artifacts and its point in every series. Comparisons keep their results.
    </DeleteResource>
  );
}

type BuildsProps = {
  service: { id: string; slug: string };
  mayWrite: boolean;
  buildLink: (build: Build, words: ReactNode) => ReactNode;
};

type BuildMenuProps = { build: Build; onEdit: () => void; onDelete: () => void };

function BuildMenu({ build, onEdit, onDelete }: BuildMenuProps) {
  return (
    <Menu>
      <Menu.Target>
        <button
          type="button"
          className="icon-button"
          aria-label={`Actions for ${shortCommit(build.commit)}`}
        >
          ⋯
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onEdit}>Edit</Menu.Item>
        <Menu.Item onClick={onDelete}>Delete build</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function columnsOf(
  buildLink: BuildsProps['buildLink'],
  menu: (build: Build) => ReactNode,
): Column<Build>[] {
  const dash = <span className="muted">–</span>;
  return [
    {
      id: 'commit',
      head: 'Commit',
      text: ({ commit }) => commit,
      width: '20%',
      mono: true,
      cell: (build) => (
        <span title={build.commit}>{buildLink(build, shortCommit(build.commit))}</span>
      ),
    },
    {
      id: 'label',
      head: 'Name',
      text: ({ display_name, title }) => display_name ?? title,
      cell: ({ display_name, title }) =>
        (display_name ?? title) ? (
          <span title={title ?? undefined}>{display_name ?? title}</span>
        ) : (
          dash
        ),
    },
    {
      id: 'branch',
      head: 'Branch',
      text: ({ branch }) => branch,
      width: '16%',
      mono: true,
      cell: (build) => build.branch ?? dash,
    },
    {
      id: 'go',
      head: 'Go',
      text: ({ go_version }) => go_version,
      width: 100,
      mono: true,
      cell: (build) => build.go_version || dash,
    },
    {
      id: 'platform',
      head: 'Platform',
      text: ({ goos, goarch }) => [goos, goarch].filter(Boolean).join('/'),
      width: 120,
      mono: true,
      cell: (build) => [build.goos, build.goarch].filter(Boolean).join('/') || dash,
    },
    {
      id: 'flags',
      head: 'Flags',
      text: ({ flags }) => flags,
      width: '14%',
      mono: true,
      cell: (build) => build.flags || dash,
    },
    {
      id: 'at',
      head: 'First seen',
      text: ({ created_at }) => created_at,
      width: 140,
      align: 'right',
      cell: (build) => <Timestamp at={build.created_at} />,
    },
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

export function Builds({ service, mayWrite, buildLink }: BuildsProps) {
  const [search, setSearch] = useState('');
  const [form, setForm] = useState<Build | 'new' | null>(null);
  const builds = usePagedList(buildsQuery({ service_id: service.id, search: search || undefined }));
  const [deleting, setDeleting] = useState<Build | null>(null);
  return (
    <Section
      title="Builds"
      aside="a commit built with one Go version, platform and set of flags"
      controls={
        <>
          <TextInput
            aria-label="Search builds"
            placeholder="Search commits, branches"
            value={search}
            onChange={onText(setSearch)}
          />
          {mayWrite && <Button onClick={() => setForm('new')}>New build</Button>}
        </>
      }
    >
      <PagedTable
        label="Builds"
        list={builds}
        columns={columnsOf(buildLink, (build) =>
          mayWrite ? (
            <BuildMenu
              build={build}
              onEdit={() => setForm(build)}
              onDelete={() => setDeleting(build)}
            />
          ) : null,
        )}
        minWidth={900}
        loading={<SkeletonRows rows={5} />}
        empty={
          search ? (
            <EmptyState>No builds match these filters.</EmptyState>
          ) : (
            <>
              <p>No builds yet.</p>
              <UploadSteps service={service} buildLink={buildLink} />
            </>
          )
        }
      />
      {deleting && <DeleteBuild build={deleting} onDone={() => setDeleting(null)} />}
      <Modal
        opened={form !== null}
        onClose={() => setForm(null)}
        title={form === 'new' ? 'New build' : 'Edit build'}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {form !== null && (
          <BuildForm
            serviceId={service.id}
            build={form === 'new' ? null : form}
            onDone={() => setForm(null)}
          />
        )}
      </Modal>
    </Section>
  );
}

const IDENTITY: [keyof BuildFields, string, string][] = [
  ['commit', 'Commit', '9c41e0a...'],
  ['go_version', 'Go version', 'go1.26.3'],
  ['goos', 'GOOS', 'linux'],
  ['goarch', 'GOARCH', 'amd64'],
  ['flags', 'Build flags', '-tags netgo'],
];

/**
 * The form of a build. Its first five fields identify the build and cannot be changed later; its
 * branch and name can.
 */
function BuildForm({
  serviceId,
  build,
  onDone,
}: {
  serviceId: string;
  build: Build | null;
  onDone: () => void;
}) {
  const client = useQueryClient();
  const [words, setWords] = useState<BuildFields>({
    commit: build?.commit ?? '',
    go_version: build?.go_version ?? '',
    goos: build?.goos ?? '',
    goarch: build?.goarch ?? '',
    flags: build?.flags ?? '',
    branch: build?.branch ?? null,
    label: build?.display_name ?? null,
  });
  const save = useMutation({
    mutationFn: () =>
      build
        ? updateBuild(build.id, { branch: words.branch, label: words.label })
        : createBuild(serviceId, words),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['build'] });
      onDone();
    },
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      {IDENTITY.map(([name, label, placeholder]) => (
        <TextInput
          key={name}
          label={label}
          placeholder={placeholder}
          required={name === 'commit'}
          disabled={build !== null}
          classNames={{ input: 'mono' }}
          value={words[name] ?? ''}
          onChange={(event) => setWords({ ...words, [name]: event.currentTarget.value })}
        />
      ))}
      <TextInput
        label="Branch"
        classNames={{ input: 'mono' }}
        value={words.branch ?? ''}
        onChange={(event) => setWords({ ...words, branch: event.currentTarget.value || null })}
      />
      <TextInput
        label="Name"
        placeholder="v2.31"
        value={words.label ?? ''}
        onChange={(event) => setWords({ ...words, label: event.currentTarget.value || null })}
      />
      {save.error && <ErrorState compact error={save.error} />}
      <div className={classes.buttons}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="filled" loading={save.isPending}>
          {build ? 'Save' : 'Create build'}
        </Button>
      </div>
    </form>
  );
}
