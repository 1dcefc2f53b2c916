/** Where history of metrics is imported from: Prometheus-compatible APIs, each asked only when somebody says so. */
import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MetricSource } from '../../api';
import { EmptyState, ErrorState, Section, SkeletonRows } from '../../ui';
import { SourceForm } from './SourceForm';
import { SourceProblem } from './SourceProblem';
import { SourceRow } from './SourceRow';
import { checkKey, deleteSource, sourcesQuery, useImports } from './queries';
import classes from './sources.module.css';

export type MetricSourcesProps = { mayManage: boolean };

export default function MetricSources({ mayManage }: MetricSourcesProps) {
  const sources = useQuery(sourcesQuery);
  const imports = useImports();
  const [editing, setEditing] = useState<MetricSource | 'new' | null>(null);
  const [leaving, setLeaving] = useState<MetricSource | null>(null);
  const rows = sources.data?.items ?? [];
  const add = mayManage && (
    <Button
      onClick={() => {
        setEditing('new');
      }}
    >
      Add source
    </Button>
  );
  return (
    <Section
      title="Sources"
      aside="Prometheus-compatible APIs: their history is imported, or services are read through to them"
      controls={rows.length > 0 && add}
    >
      {sources.error && (
        <ErrorState
          what="The sources could not be read"
          error={sources.error}
          action={<Button onClick={() => void sources.refetch()}>Try again</Button>}
        />
      )}
      {sources.isPending && <SkeletonRows rows={2} height={42} />}
      {sources.data && rows.length === 0 && (
        <EmptyState action={add}>
          APIs of Prometheus, Thanos or Mimir, whose history an admin can import or which services
          are read through to, will be listed here.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <ul className={classes.list} aria-label="Sources">
          {rows.map((source) => (
            <SourceRow
              key={source.id}
              source={source}
              job={imports.find(({ subject }) => subject.id === source.id)}
              mayManage={mayManage}
              onEdit={() => {
                setEditing(source);
              }}
              onDelete={() => {
                setLeaving(source);
              }}
            />
          ))}
        </ul>
      )}
      {editing && (
        <SourceForm
          source={editing === 'new' ? null : editing}
          onDone={() => {
            setEditing(null);
          }}
        />
      )}
      {leaving && (
        <DeleteSource
          source={leaving}
          onDone={() => {
            setLeaving(null);
          }}
        />
      )}
    </Section>
  );
}

function DeleteSource({ source, onDone }: { source: MetricSource; onDone: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteSource(source.id),
    onSuccess: async () => {
      client.removeQueries({ queryKey: checkKey(source.id) });
      await client.invalidateQueries({ queryKey: ['metric_source'] });
      onDone();
    },
  });
  return (
    <Modal
      opened
      onClose={onDone}
      title={`Delete ${source.name}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <p>Its credentials go with it. What was imported from it stays.</p>
      {remove.error && <SourceProblem what="It was not deleted" error={remove.error} />}
      <div className={classes.buttons}>
        <Button onClick={onDone}>Cancel</Button>
        <Button
          variant="filled"
          loading={remove.isPending}
          onClick={() => {
            remove.mutate();
          }}
        >
          Delete source
        </Button>
      </div>
    </Modal>
  );
}
