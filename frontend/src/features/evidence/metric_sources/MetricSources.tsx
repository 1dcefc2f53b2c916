/** The sources of imported metrics: Prometheus-compatible APIs, each queried only on request. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { DeleteResource, EditableList } from '../../../ui';
import { MetricSourceForm } from './MetricSourceForm';
import { MetricSourceRow } from './MetricSourceRow';
import { sourceCheckKey, deleteSource, sourcesQuery, useImports } from './metric-source-queries';

export type MetricSourcesProps = { mayManage: boolean };

export default function MetricSources({ mayManage }: MetricSourcesProps) {
  const sources = useQuery(sourcesQuery);
  const imports = useImports();
  const client = useQueryClient();
  return (
    <EditableList
      title="Metric sources"
      help="federatedQueries"
      aside="Prometheus-compatible APIs to import history from or query live"
      query={sources}
      add={mayManage && 'Add source'}
      empty="No metric sources yet. Add a Prometheus, Thanos or Mimir API to import its history or query it live."
      columns={[
        { id: 'name', head: 'Name', text: ({ name }) => name },
        { id: 'address', head: 'Address', text: ({ url }) => url },
        { id: 'added', head: 'Added', text: ({ created_at }) => created_at },
      ]}
      row={(source, dialogs) => (
        <MetricSourceRow
          source={source}
          job={imports.find(({ subject }) => subject.id === source.id)}
          mayManage={mayManage}
          {...dialogs}
        />
      )}
      form={(source, onDone) => <MetricSourceForm source={source} onDone={onDone} />}
      deletion={({ id, name }, onClose) => (
        <DeleteResource
          name={name}
          noun="metric source"
          request={() => deleteSource(id)}
          stale={['metric_source']}
          onDeleted={() => client.removeQueries({ queryKey: sourceCheckKey(id) })}
          onClose={onClose}
        >
          Deletes its credentials too. Imported samples stay.
        </DeleteResource>
      )}
    />
  );
}
