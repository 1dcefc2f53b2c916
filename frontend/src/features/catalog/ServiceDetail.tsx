/** One service and its builds. */
import { Button, Menu, Modal, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Build } from '../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  PageHead,
  Section,
  SkeletonRows,
  Time,
  useTitle,
  type Column,
} from '../../ui';
import classes from './Catalog.module.css';
import { ServiceForm } from './Services';
import {
  buildsQuery,
  changeBuild,
  createBuild,
  deleteBuild,
  deleteService,
  serviceQuery,
  type BuildWords,
} from './queries';

type DetailProps = {
  id: string;
  back: ReactNode;
  mayManage: boolean;
  mayWrite: boolean;
  onGone: () => void;
  buildLink: (build: Build, words: ReactNode) => ReactNode;
  /** What stands between the service and its builds, from storeys above. */
  children?: ReactNode;
};

export function ServiceDetail({
  id,
  back,
  mayManage,
  mayWrite,
  onGone,
  buildLink,
  children,
}: DetailProps) {
  const client = useQueryClient();
  const service = useQuery(serviceQuery(id));
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const forget = useMutation({
    mutationFn: () => deleteService(id),
    onSuccess: async () => {
      onGone();
      await client.invalidateQueries({ queryKey: ['service', 'list'] });
    },
  });
  useTitle(service.data?.name ?? 'Service');
  if (service.error)
    return (
      <>
        <PageHead above={back} title="This service can not be shown" />
        <div className={classes.inset}>
          <ErrorState error={service.error} />
        </div>
      </>
    );
  if (!service.data)
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={6} />
      </div>
    );
  const { data } = service;
  return (
    <>
      <PageHead
        above={back}
        title={data.name}
        sub={
          <>
            {data.main_package && <span className="mono">{data.main_package}</span>}{' '}
            {data.description}
          </>
        }
        actions={
          mayManage && (
            <>
              <Button
                onClick={() => {
                  setEditing(true);
                }}
              >
                Edit
              </Button>
              <Button
                onClick={() => {
                  setAsking(true);
                }}
              >
                Delete
              </Button>
            </>
          )
        }
      />
      {children}
      <Builds serviceId={id} mayWrite={mayWrite} buildLink={buildLink} />
      <ServiceForm
        opened={editing}
        onClose={() => {
          setEditing(false);
        }}
        service={data}
      />
      <Modal
        opened={asking}
        onClose={() => {
          setAsking(false);
        }}
        title={`Delete ${data.name}?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <p>Its builds and their files go with it; comparisons keep what they found.</p>
        {forget.error && <ErrorState compact error={forget.error} />}
        <div className={classes.buttons}>
          <Button
            onClick={() => {
              setAsking(false);
            }}
          >
            Cancel
          </Button>
          <Button
            variant="filled"
            loading={forget.isPending}
            onClick={() => {
              forget.mutate();
            }}
          >
            Delete service
          </Button>
        </div>
      </Modal>
    </>
  );
}

type BuildsProps = { serviceId: string } & Pick<DetailProps, 'mayWrite' | 'buildLink'>;

function Builds({ serviceId, mayWrite, buildLink }: BuildsProps) {
  const client = useQueryClient();
  const [search, setSearch] = useState('');
  const [form, setForm] = useState<Build | 'new' | null>(null);
  const builds = useInfiniteQuery(
    buildsQuery({ service_id: serviceId, search: search || undefined }),
  );
  const forget = useMutation({
    mutationFn: deleteBuild,
    onSettled: () => client.invalidateQueries({ queryKey: ['build'] }),
  });
  const rows = builds.data?.pages.flatMap((page) => page.items) ?? [];
  const dash = <span className="muted">–</span>;
  const columns: Column<Build>[] = [
    {
      id: 'commit',
      head: 'commit',
      width: '20%',
      mono: true,
      cell: (build) => (
        <span title={build.commit}>{buildLink(build, build.commit.slice(0, 12))}</span>
      ),
    },
    { id: 'label', head: 'called', cell: (build) => build.label ?? dash },
    {
      id: 'branch',
      head: 'branch',
      width: '16%',
      mono: true,
      cell: (build) => build.branch ?? dash,
    },
    { id: 'go', head: 'Go', width: 100, mono: true, cell: (build) => build.go_version || dash },
    {
      id: 'platform',
      head: 'platform',
      width: 120,
      mono: true,
      cell: (build) => [build.goos, build.goarch].filter(Boolean).join('/') || dash,
    },
    { id: 'flags', head: 'flags', width: '14%', mono: true, cell: (build) => build.flags || dash },
    {
      id: 'at',
      head: 'known since',
      width: 140,
      align: 'right',
      cell: (build) => <Time at={build.created_at} />,
    },
    {
      id: 'act',
      head: '',
      label: 'actions',
      width: 40,
      align: 'right',
      cell: (build) =>
        mayWrite ? (
          <Menu>
            <Menu.Target>
              <button
                type="button"
                className={classes.dots}
                aria-label={`Actions for ${build.commit.slice(0, 12)}`}
              >
                ⋯
              </button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item
                onClick={() => {
                  setForm(build);
                }}
              >
                Edit
              </Menu.Item>
              <Menu.Item
                onClick={() => {
                  forget.mutate(build.id);
                }}
              >
                Delete build
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ) : null,
    },
  ];
  return (
    <Section
      title="Builds"
      aside="the same commit with another Go, platform or flags is another build"
      controls={
        <>
          <TextInput
            aria-label="Search builds"
            placeholder="Search commits, branches"
            value={search}
            onChange={(event) => {
              setSearch(event.currentTarget.value);
            }}
          />
          {mayWrite && (
            <Button
              onClick={() => {
                setForm('new');
              }}
            >
              New build
            </Button>
          )}
        </>
      }
    >
      {(builds.error ?? forget.error) && <ErrorState error={builds.error ?? forget.error} />}
      {builds.isPending && <SkeletonRows rows={5} />}
      {builds.data && rows.length === 0 && (
        <EmptyState>
          {search
            ? 'No build matches.'
            : 'Builds will be listed here, as they are named by hand or posted by CI.'}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Builds"
          columns={columns}
          rowCount={rows.length}
          rowAt={(index) => rows[index]!}
          rowKey={(build) => build.id}
          minWidth={900}
        />
      )}
      {builds.hasNextPage && (
        <Button
          my="md"
          loading={builds.isFetchingNextPage}
          onClick={() => void builds.fetchNextPage()}
        >
          Older builds
        </Button>
      )}
      <Modal
        opened={form !== null}
        onClose={() => {
          setForm(null);
        }}
        title={form === 'new' ? 'New build' : 'Edit build'}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {form !== null && (
          <BuildForm
            serviceId={serviceId}
            build={form === 'new' ? null : form}
            onDone={() => {
              setForm(null);
            }}
          />
        )}
      </Modal>
    </Section>
  );
}

const IDENTITY: [keyof BuildWords, string, string][] = [
  ['commit', 'Commit', '9c41e0a...'],
  ['go_version', 'Go version', 'go1.26.3'],
  ['goos', 'GOOS', 'linux'],
  ['goarch', 'GOARCH', 'amd64'],
  ['flags', 'Build flags', '-tags netgo'],
];

/** The first five fields are what a build is, and stay; how it is called can change. */
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
  const [words, setWords] = useState<BuildWords>({
    commit: build?.commit ?? '',
    go_version: build?.go_version ?? '',
    goos: build?.goos ?? '',
    goarch: build?.goarch ?? '',
    flags: build?.flags ?? '',
    branch: build?.branch ?? null,
    label: build?.label ?? null,
  });
  const save = useMutation({
    mutationFn: () =>
      build
        ? changeBuild(build.id, { branch: words.branch, label: words.label })
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
          onChange={(event) => {
            setWords({ ...words, [name]: event.currentTarget.value });
          }}
        />
      ))}
      <TextInput
        label="Branch"
        classNames={{ input: 'mono' }}
        value={words.branch ?? ''}
        onChange={(event) => {
          setWords({ ...words, branch: event.currentTarget.value || null });
        }}
      />
      <TextInput
        label="Called"
        placeholder="v2.31"
        value={words.label ?? ''}
        onChange={(event) => {
          setWords({ ...words, label: event.currentTarget.value || null });
        }}
      />
      {save.error && <ErrorState compact error={save.error} />}
      <div className={classes.buttons}>
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="filled" loading={save.isPending}>
          {build ? 'Keep' : 'Create build'}
        </Button>
      </div>
    </form>
  );
}
