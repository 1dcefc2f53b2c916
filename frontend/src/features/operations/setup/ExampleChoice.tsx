/** The choice of a new team: explore example data, which is removed as a whole, or set up a service. */
import { Button, Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { ExampleData } from '../../../api';
import { DeleteDialog, ErrorState } from '../../../ui';
import classes from './Setup.module.css';
import { addExampleData, exampleQuery, isExampleBusy, removeExampleData } from './example-data';

export type ExampleChoiceProps = {
  /** Whether the user may add and remove the example data. */
  mayManage: boolean;
  /** Links to the example data: a comparison, the dashboard. */
  links: ReactNode;
};

export function ExampleChoice({ mayManage, links }: ExampleChoiceProps) {
  const example = useExample();
  const [asked, setAsked] = useState(false);
  const client = useQueryClient();
  const change = (mutationFn: () => Promise<ExampleData>) => ({
    mutationFn,
    onSuccess: (data: ExampleData) => {
      client.setQueryData(exampleQuery.queryKey, data);
      setAsked(false);
    },
  });
  const add = useMutation(change(addExampleData));
  const remove = useMutation(change(removeExampleData));
  const data = example.data;
  const error = example.error ?? add.error;
  return (
    <section aria-label="Explore example data" className={classes.example}>
      <h2>Explore example data</h2>
      <p className="t2">
        Four services with builds, profiles, traces, metrics and a finished bisect. They are marked
        as example, and one action removes all of it.
      </p>
      {error && <ErrorState error={error} what="Could not add the example data" compact />}
      {data?.state === 'failed' && (
        <p role="alert">The example is not complete: {data.detail ?? 'the job ended'}</p>
      )}
      {data && isExampleBusy(data) && <Busy data={data} />}
      {data?.state === 'added' && <p className={classes.links}>{links}</p>}
      {data && !isExampleBusy(data) && mayManage && (
        <p className={classes.links}>
          {data.state !== 'added' && (
            <Button variant="filled" loading={add.isPending} onClick={() => add.mutate()}>
              {data.state === 'failed' ? 'Try again' : 'Add example data'}
            </Button>
          )}
          {data.state !== 'absent' && (
            <Button onClick={() => setAsked(true)}>Remove example data</Button>
          )}
        </p>
      )}
      {data?.state === 'absent' && !mayManage && (
        <p className="muted">An admin of the team can add it.</p>
      )}
      {asked && (
        <DeleteDialog
          act="Remove"
          name="the example data"
          noun="example data"
          failed="Could not remove it"
          remove={remove}
          onClose={() => setAsked(false)}
        >
          This deletes the services {(data?.services ?? []).join(', ')} with everything that belongs
          to them, also what you added to them. Nothing else is deleted.
        </DeleteDialog>
      )}
    </section>
  );
}

/** Returns the state of the example data; refetches every query when its job ends. */
function useExample() {
  const example = useQuery(exampleQuery);
  const client = useQueryClient();
  const busy = example.data !== undefined && isExampleBusy(example.data);
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !busy) void client.invalidateQueries();
    wasBusy.current = busy;
  }, [busy, client]);
  return example;
}

function Busy({ data }: { data: ExampleData }) {
  return (
    <div role="status">
      <p>{data.state === 'adding' ? 'Adding example data' : 'Removing example data'}</p>
      <Progress value={100 * data.progress} aria-label="Progress of the example data" />
      <p className="muted">{data.step === '' ? 'waiting for a worker' : data.step}</p>
    </div>
  );
}
