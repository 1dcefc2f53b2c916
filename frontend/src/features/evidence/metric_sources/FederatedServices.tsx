/** Federated services of a source: the dashboard queries their samples there; none are stored. */
import { Autocomplete, Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MetricSource, ReadThrough } from '../../../api';
import { ErrorState, RowLine, countOf, onText } from '../../../ui';
import {
  deleteFederatedService,
  environmentsQuery,
  createFederatedService,
  federatedServicesKey,
  federatedServicesQuery,
  servicesQuery,
} from './metric-source-queries';
import classes from './sources.module.css';
import { labelsText } from './metric-source-wording';

type FormProps = { source: MetricSource; onDone: () => void };

const USUAL_LABEL = 'job';
const USUAL_ENVIRONMENT = 'production';

export function FederatedServiceForm({ source, onDone }: FormProps) {
  const client = useQueryClient();
  const services = useQuery(servicesQuery);
  const environments = useQuery(environmentsQuery);
  const [service, setService] = useState('');
  const [environment, setEnvironment] = useState(USUAL_ENVIRONMENT);
  const [label, setLabel] = useState(USUAL_LABEL);
  /** The label's value; null = the name of the service. */
  const [value, setValue] = useState<string | null>(null);
  const bind = useMutation({
    mutationFn: () =>
      createFederatedService(source.id, {
        service,
        environment,
        label_matchers: { [label.trim()]: (value ?? service).trim() },
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: federatedServicesKey(source.id) });
      onDone();
    },
  });
  const names = (items: { name: string }[] | undefined) => [
    ...new Set((items ?? []).map(({ name }) => name)),
  ];
  return (
    <form
      className={classes.import}
      aria-label={`Query a service live from ${source.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        bind.mutate();
      }}
    >
      <Autocomplete
        label="Service"
        required
        maxLength={200}
        data={names(services.data?.items)}
        value={service}
        onChange={setService}
      />
      <Autocomplete
        label="Environment"
        required
        maxLength={200}
        data={names(environments.data?.items)}
        value={environment}
        onChange={setEnvironment}
      />
      <TextInput
        label="Label"
        required
        maxLength={200}
        classNames={{ input: 'mono' }}
        value={label}
        onChange={onText(setLabel)}
      />
      <TextInput
        label="Value"
        required
        maxLength={500}
        classNames={{ input: 'mono' }}
        value={value ?? service}
        onChange={onText(setValue)}
      />
      <Button type="submit" loading={bind.isPending}>
        Query live
      </Button>
      <Button onClick={onDone}>Close</Button>
      <span className="muted">
        Samples are not stored: the dashboard queries the source, and so do change points,
        deployment checks and budgets once a minute.
      </span>
      {bind.error && <ErrorState compact what="Could not add the service" error={bind.error} />}
    </form>
  );
}

export function FederatedServices({
  source,
  mayManage,
}: {
  source: MetricSource;
  mayManage: boolean;
}) {
  const found = useQuery(federatedServicesQuery(source.id));
  if (found.error)
    return (
      <ErrorState
        compact
        what="Could not load the services queried live"
        error={found.error}
        action={<Button onClick={() => void found.refetch()}>Try again</Button>}
      />
    );
  const rows = found.data?.items ?? [];
  if (rows.length === 0) return null;
  return (
    <>
      <p>{countOf(rows.length, 'service')} queried live, not stored</p>
      <ul className={classes.left} aria-label={`Queried live from ${source.name}`}>
        {rows.map((row) => (
          <Bound key={row.id} row={row} mayManage={mayManage} />
        ))}
      </ul>
    </>
  );
}

function Bound({ row, mayManage }: { row: ReadThrough; mayManage: boolean }) {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => deleteFederatedService(row.source_id, row.id),
    onSuccess: () => client.invalidateQueries({ queryKey: federatedServicesKey(row.source_id) }),
  });
  return (
    <li>
      <RowLine>
        <span>
          {row.service.name} in {row.environment.name}
        </span>
        <span className={`mono muted ${classes.address}`}>{labelsText(row.label_matchers)}</span>
        {mayManage && (
          <button
            type="button"
            className="link"
            aria-label={`Stop querying ${row.service.name} in ${row.environment.name} live`}
            disabled={end.isPending}
            onClick={() => end.mutate()}
          >
            Stop
          </button>
        )}
      </RowLine>
      {end.error && <ErrorState compact what="Could not stop the live query" error={end.error} />}
    </li>
  );
}
