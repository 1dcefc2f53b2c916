/** One artifact: its state, metadata and run. The caller provides the summary of a profile. */
import { Button, NumberInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { makeConnectionLostError, type Artifact, type Facts } from '../../../api';
import { formatValue } from '../../../engine/format/format';
import {
  ErrorState,
  DetailsList,
  PageHeader,
  Section,
  SkeletonRows,
  StateIcon,
  Timestamp,
  sizeText,
  useTitle,
  onText,
} from '../../../ui';
import { usePollWhile } from '../../platform/jobs';
import { useRetry } from './ArtifactsTable';
import { DeleteArtifact } from './DeleteArtifact';
import classes from './Files.module.css';
import { artifactQuery, updateMetadata, isUnderWay, originalAddress } from './artifact-queries';
import { STATE_ICONS, describe, hasOriginal, isCompared, stateText } from './artifact-wording';

type DetailProps = {
  id: string;
  back: ReactNode;
  onGone: () => void;
  mayWrite: boolean;
  build: (artifact: Artifact) => ReactNode;
  summary: (artifact: Artifact) => ReactNode;
  /** Returns facts of the artifact and links to its pages with more detail. */
  evidence: (artifact: Artifact) => ReactNode;
  /** Whether it is a tab of a page that already has a header and a link back. */
  isTab?: boolean;
};

export function ArtifactDetail({
  id,
  back,
  onGone,
  mayWrite,
  build,
  summary,
  evidence,
  isTab = false,
}: DetailProps) {
  const pollWhile = usePollWhile();
  const retry = useRetry();
  const [deleting, setDeleting] = useState(false);
  const artifact = useQuery({
    ...artifactQuery(id),
    refetchInterval: (query) => pollWhile(query.state.data ? isUnderWay(query.state.data) : false),
  });
  useTitle(artifact.data?.name ?? 'Artifact');
  const failed = makeConnectionLostError(artifact);
  if (failed) {
    return (
      <>
        <PageHeader above={back} title="Could not load the artifact" />
        <div className={classes.inset}>
          <ErrorState
            error={failed}
            action={<Button onClick={() => void artifact.refetch()}>Try again</Button>}
          />
        </div>
      </>
    );
  }
  if (!artifact.data)
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={10} />
      </div>
    );
  const { data } = artifact;
  const actions = (
    <ArtifactActions
      artifact={data}
      mayWrite={mayWrite}
      retry={retry}
      onDelete={() => setDeleting(true)}
    />
  );
  return (
    <>
      {isTab ? (
        <div className={classes.tabActions}>
          <span className="muted">{describe(data)}</span>
          {actions}
        </div>
      ) : (
        <PageHeader
          above={back}
          title={<span className="mono">{data.name}</span>}
          sub={describe(data)}
          actions={actions}
        />
      )}
      {deleting && (
        <DeleteArtifact file={data} onDeleted={onGone} onClose={() => setDeleting(false)} />
      )}
      {retry.error && (
        <div className={classes.inset}>
          <ErrorState error={retry.error} />
        </div>
      )}
      {data.error && (
        <div className={classes.inset}>
          <ErrorState
            what={data.state === 'invalid' ? 'Rejected' : 'Failed'}
            error={Object.assign(new Error(data.error.detail), { facts: data.error })}
          />
        </div>
      )}
      <ArtifactFacts artifact={data} build={build(data)} />
      {evidence(data)}
      {data.profile && (
        <Section title="Profile" narrow>
          {summary(data)}
        </Section>
      )}
      {isCompared(data.kind) && (
        <Section title="Run" aside="conditions of the recorded process" narrow>
          <RunFacts artifact={data} mayWrite={mayWrite} />
        </Section>
      )}
    </>
  );
}

const isRejected = ({ state }: Artifact): boolean => state === 'invalid' || state === 'failed';

type ActionsProps = {
  artifact: Artifact;
  mayWrite: boolean;
  retry: ReturnType<typeof useRetry>;
  onDelete: () => void;
};

function ArtifactActions({ artifact, mayWrite, retry, onDelete }: ActionsProps) {
  return (
    <>
      {mayWrite && isRejected(artifact) && (
        <Button loading={retry.isPending} onClick={() => retry.mutate(artifact.id)}>
          Try again
        </Button>
      )}
      {hasOriginal(artifact) && (
        <Button component="a" href={originalAddress(artifact.id)} download>
          Download original
        </Button>
      )}
      {mayWrite && <Button onClick={onDelete}>Delete</Button>}
    </>
  );
}

function ArtifactFacts({ artifact, build }: { artifact: Artifact; build: ReactNode }) {
  return (
    <Section title="Artifact" narrow>
      <DetailsList
        facts={[
          [
            'state',
            <StateIcon key="s" glyph={STATE_ICONS[artifact.state]}>
              {stateText(artifact)}
            </StateIcon>,
          ],
          [
            'size',
            `${sizeText(artifact.size_bytes)} (${artifact.size_bytes.toLocaleString('en')} bytes)`,
          ],
          [
            'SHA-256',
            <span key="h" className="mono">
              {artifact.sha256}
            </span>,
          ],
          ['received', <Timestamp key="t" at={artifact.created_at} exact />],
          ['build', build],
          ...(hasOriginal(artifact)
            ? []
            : [['original', 'not stored: the files in it are artifacts'] as [string, ReactNode]]),
        ]}
      />
    </Section>
  );
}

const FACT_NAMES: [keyof Facts, string][] = [
  ['requests', 'requests served'],
  ['wall_ns', 'wall time'],
  ['cpu_ns', 'CPU time'],
  ['go_version', 'Go version'],
  ['goos', 'GOOS'],
  ['goarch', 'GOARCH'],
  ['gomaxprocs', 'GOMAXPROCS'],
  ['cpu_model', 'CPU'],
  ['commit', 'commit'],
  ['build_id', 'build id'],
  ['run', 'run'],
];

function factText(name: string, value: unknown): string {
  if (typeof value === 'number')
    return name.endsWith('_ns') ? formatValue(value, 'nanoseconds') : value.toLocaleString('en');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function RunFacts({ artifact, mayWrite }: { artifact: Artifact; mayWrite: boolean }) {
  const known = FACT_NAMES.filter(([name]) => artifact.run_metadata[name] !== undefined);
  return (
    <>
      {known.length > 0 ? (
        <DetailsList
          facts={known.map(([name, label]) => [
            label,
            <span
              key={name}
              className={typeof artifact.run_metadata[name] === 'string' ? 'mono' : ''}
            >
              {factText(name, artifact.run_metadata[name])}
            </span>,
          ])}
        />
      ) : (
        <p className="muted">
          No run metadata. Enter the requests served on both sides to show costs per request.
        </p>
      )}
      {mayWrite && <RequestsForm key={artifact.id} artifact={artifact} />}
    </>
  );
}

function RequestsForm({ artifact }: { artifact: Artifact }) {
  const client = useQueryClient();
  const known = artifact.run_metadata.requests;
  const [requests, setRequests] = useState<number | string>(known ?? '');
  const [version, setVersion] = useState(artifact.run_metadata.go_version ?? '');
  const save = useMutation({
    mutationFn: () => {
      const facts: Facts = {
        ...artifact.run_metadata,
        requests: typeof requests === 'number' ? requests : null,
        go_version: version || null,
      };
      return updateMetadata(artifact.id, facts);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['artifact'] }),
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <NumberInput
        label="Requests during recording"
        min={1}
        hideControls
        thousandSeparator=","
        value={requests}
        onChange={setRequests}
      />
      <TextInput
        label="Go version"
        placeholder="go1.26.3"
        value={version}
        onChange={onText(setVersion)}
      />
      <Button type="submit" loading={save.isPending}>
        Save
      </Button>
      {save.error && <ErrorState compact error={save.error} />}
    </form>
  );
}
