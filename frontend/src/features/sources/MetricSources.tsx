/** Where history of metrics is imported from: Prometheus-compatible APIs, each asked only when somebody says so. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MetricSource } from '../../api';
import { DeleteDialog, ListSection } from '../../ui';
import { SourceForm } from './SourceForm';
import { SourceRow } from './SourceRow';
import { checkKey, deleteSource, sourcesQuery, useImports } from './queries';

export type MetricSourcesProps = { mayManage: boolean };

export default function MetricSources({ mayManage }: MetricSourcesProps) {
  const sources = useQuery(sourcesQuery);
  const imports = useImports();
  const [editing, setEditing] = useState<MetricSource | 'new' | null>(null);
  const [leaving, setLeaving] = useState<MetricSource | null>(null);
  return (
    <ListSection
      title="Sources"
      aside="Prometheus-compatible APIs: their history is imported, or services are read through to them"
      kept={sources}
      add={
        mayManage && (
          <Button
            onClick={() => {
              setEditing('new');
            }}
          >
            Add source
          </Button>
        )
      }
      empty="APIs of Prometheus, Thanos or Mimir, whose history an admin can import or which services are read through to, will be listed here."
      row={(source) => (
        <SourceRow
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
      )}
    >
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
    </ListSection>
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
    <DeleteDialog name={source.name} noun="source" remove={remove} onClose={onDone}>
      Its credentials go with it. What was imported from it stays.
    </DeleteDialog>
  );
}
