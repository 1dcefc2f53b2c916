import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SecondFactor } from '../../../api';
import {
  DataTable,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  Timestamp,
  countOf,
  type Column,
} from '../../../ui';
import { AddSecondFactor, RecoveryCodes } from './AddSecondFactor';
import classes from './Settings.module.css';
import {
  deleteSecondFactor,
  renewRecoveryCodes,
  secondFactorsQuery,
  sessionQuery,
} from './account-queries';

const KINDS: Record<SecondFactor['kind'], string> = { totp: 'App', passkey: 'Passkey' };

/** The second factors of the user, which a sign-in by password needs too. */
export function SecondFactors() {
  const client = useQueryClient();
  const own = useQuery(secondFactorsQuery);
  const [adding, setAdding] = useState<SecondFactor['kind']>();
  const onSettled = async () => {
    await client.invalidateQueries({ queryKey: secondFactorsQuery.queryKey });
    await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const remove = useMutation({ mutationFn: deleteSecondFactor, onSettled });
  const renew = useMutation({ mutationFn: renewRecoveryCodes, onSettled });
  const rows = own.data?.factors ?? [];
  const error = own.error ?? remove.error ?? renew.error;
  return (
    <Section
      title="Second factor"
      aside="needed beside the password"
      controls={
        <>
          <Button onClick={() => setAdding('totp')}>Add an app</Button>{' '}
          <Button onClick={() => setAdding('passkey')}>Add a passkey</Button>
        </>
      }
    >
      {error && <ErrorState error={error} />}
      {own.isPending && <SkeletonRows rows={1} />}
      {own.data && rows.length === 0 && <EmptyState>None. The password alone signs in.</EmptyState>}
      {rows.length > 0 && (
        <>
          <DataTable
            label="Second factors"
            columns={columns((id) => remove.mutate(id))}
            rowCount={rows.length}
            rowAt={(index) => rows[index]!}
            rowKey={(one) => one.id}
            minWidth={480}
          />
          <p className={classes.closed}>
            {countOf(own.data?.recovery_codes_left ?? 0, 'unused recovery code')}.{' '}
            <button type="button" className="link" onClick={() => renew.mutate()}>
              Replace them
            </button>
          </p>
        </>
      )}
      {adding && (
        <AddSecondFactor kind={adding} onClose={() => setAdding(undefined)} onAdded={onSettled} />
      )}
      {renew.data && <RecoveryCodes codes={renew.data.recovery_codes} onClose={renew.reset} />}
    </Section>
  );
}

const columns = (remove: (id: string) => void): Column<SecondFactor>[] => [
  { id: 'name', head: 'Name', cell: (one) => <b>{one.name}</b> },
  { id: 'kind', head: 'Kind', width: 110, cell: (one) => KINDS[one.kind] },
  {
    id: 'used',
    head: 'Last used',
    width: 150,
    align: 'right',
    cell: (one) => one.last_used_at && <Timestamp at={one.last_used_at} />,
  },
  {
    id: 'act',
    head: '',
    label: 'actions',
    width: 90,
    align: 'right',
    cell: (one) => (
      <button
        type="button"
        className="link"
        aria-label={`Remove ${one.name}`}
        onClick={() => remove(one.id)}
      >
        Remove
      </button>
    ),
  },
];
