/** Services that are read through to a source: nothing of them is stored, the board asks when it is looked at. */
import { Autocomplete, Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MetricSource, ReadThrough } from '../../api';
import { ErrorState, RowLine, countOf } from '../../ui';
import {
  endReadThrough,
  environmentsQuery,
  readThrough,
  readThroughKey,
  readThroughQuery,
  servicesQuery,
} from './queries';
import classes from './sources.module.css';
import { labelsText } from './wording';

type FormProps = { source: MetricSource; onDone: () => void };

const USUAL_LABEL = 'job';
const USUAL_ENVIRONMENT = 'production';

export function ReadThroughForm({ source, onDone }: FormProps) {
  const client = useQueryClient();
  const services = useQuery(servicesQuery);
  const environments = useQuery(environmentsQuery);
  const [service, setService] = useState('');
  const [environment, setEnvironment] = useState(USUAL_ENVIRONMENT);
  const [label, setLabel] = useState(USUAL_LABEL);
  /** Until somebody says otherwise, the label says the service's name. */
  const [value, setValue] = useState<string | null>(null);
  const bind = useMutation({
    mutationFn: () =>
      readThrough(source.id, {
        service,
        environment,
        equal: { [label.trim()]: (value ?? service).trim() },
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: readThroughKey(source.id) });
      onDone();
    },
  });
  const names = (items: { name: string }[] | undefined) => [
    ...new Set((items ?? []).map(({ name }) => name)),
  ];
  return (
    <form
      className={classes.import}
      aria-label={`Read a service through to ${source.name}`}
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
        label="Label of its series"
        required
        maxLength={200}
        classNames={{ input: 'mono' }}
        value={label}
        onChange={(event) => {
          setLabel(event.currentTarget.value);
        }}
      />
      <TextInput
        label="Its value"
        required
        maxLength={500}
        classNames={{ input: 'mono' }}
        value={value ?? service}
        onChange={(event) => {
          setValue(event.currentTarget.value);
        }}
      />
      <Button type="submit" loading={bind.isPending}>
        Read through
      </Button>
      <Button onClick={onDone}>Close</Button>
      <span className="muted">
        Nothing is stored: the board asks the source when it is looked at. Changes are not watched
        for.
      </span>
      {bind.error && <ErrorState compact what="It is not read through" error={bind.error} />}
    </form>
  );
}

export function ReadThroughList({
  source,
  mayManage,
}: {
  source: MetricSource;
  mayManage: boolean;
}) {
  const found = useQuery(readThroughQuery(source.id));
  if (found.error)
    return (
      <ErrorState
        compact
        what="What is read through could not be read"
        error={found.error}
        action={<Button onClick={() => void found.refetch()}>Try again</Button>}
      />
    );
  const rows = found.data?.items ?? [];
  if (rows.length === 0) return null;
  return (
    <>
      <p>{countOf(rows.length, 'service')} read through, nothing of them stored</p>
      <ul className={classes.left} aria-label={`Read through to ${source.name}`}>
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
    mutationFn: () => endReadThrough(row.source_id, row.id),
    onSuccess: () => client.invalidateQueries({ queryKey: readThroughKey(row.source_id) }),
  });
  return (
    <li>
      <RowLine>
        <span>
          {row.service.name} in {row.environment.name}
        </span>
        <span className={`mono muted ${classes.address}`}>{labelsText(row.equal)}</span>
        {mayManage && (
          <button
            type="button"
            className="link"
            aria-label={`End reading ${row.service.name} in ${row.environment.name} through`}
            disabled={end.isPending}
            onClick={() => {
              end.mutate();
            }}
          >
            End
          </button>
        )}
      </RowLine>
      {end.error && <ErrorState compact what="It was not ended" error={end.error} />}
    </li>
  );
}
