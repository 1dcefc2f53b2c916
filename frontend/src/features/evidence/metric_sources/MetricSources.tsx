/** Where history of metrics is imported from: Prometheus-compatible APIs, each queried only on request. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MetricSource } from '../../../api';
import { DeleteDialog, ListSection } from '../../../ui';
import { MetricSourceForm } from './MetricSourceForm';
import { MetricSourceRow } from './MetricSourceRow';
import { sourceCheckKey, deleteSource, sourcesQuery, useImports } from './metric-source-queries';

export type MetricSourcesProps = { mayManage: boolean };

export default function MetricSources({ mayManage }: MetricSourcesProps) {
  const sources = useQuery(sourcesQuery);
  const imports = useImports();
  const [editing, setEditing] = useState<MetricSource | 'new' | null>(null);
  const [leaving, setLeaving] = useState<MetricSource | null>(null);
  return (
    <ListSection
      title="Metric sources"
      help="federatedQueries"
      aside="Prometheus-compatible APIs to import history from or query live"
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
      empty="No metric sources yet. Add a Prometheus, Thanos or Mimir API to import its history or query it live."
      row={(source) => (
        <MetricSourceRow
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
        <MetricSourceForm
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
      client.removeQueries({ queryKey: sourceCheckKey(source.id) });
      await client.invalidateQueries({ queryKey: ['metric_source'] });
      onDone();
    },
  });
  return (
    <DeleteDialog name={source.name} noun="source" remove={remove} onClose={onDone}>
      Deletes its credentials too. Imported samples stay.
    </DeleteDialog>
  );
}
