/** The browsers in which the user is signed in. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Browser } from '../../../api';
import { ListTable, Section, Timestamp, type Column } from '../../../ui';
import { endOtherSessions, endSession, sessionsQuery } from './account-queries';
import { browserName } from './browser-name';

const COLUMNS: Column<Browser>[] = [
  {
    id: 'browser',
    head: 'Browser',
    text: (one) => `${browserName(one.browser)}${one.is_current ? ' current session' : ''}`,
    cell: (one) => (
      <span title={one.browser}>
        {browserName(one.browser)}{' '}
        {one.is_current && <span className="muted">current session</span>}
      </span>
    ),
  },
  {
    id: 'address',
    head: 'Address',
    width: 180,
    mono: true,
    text: (one) => one.address,
    cell: (one) => one.address,
  },
  {
    id: 'seen',
    head: 'Last seen',
    width: 160,
    align: 'right',
    text: (one) => one.last_seen_at,
    cell: (one) => <Timestamp at={one.last_seen_at} />,
  },
];

export function Sessions() {
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useQuery(sessionsQuery);
  const onSettled = () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  const end = useMutation({ mutationFn: endSession, onSettled });
  const endOthers = useMutation({ mutationFn: endOtherSessions, onSettled });
  const signOut: Column<Browser> = {
    id: 'act',
    head: '',
    label: 'actions',
    width: 90,
    align: 'right',
    cell: (one) =>
      one.is_current ? null : (
        <button
          type="button"
          className="link"
          aria-label={`Sign out ${browserName(one.browser)}, ${one.address}`}
          onClick={() => end.mutate(one.id)}
        >
          Sign out
        </button>
      ),
  };
  return (
    <Section
      title="Active sessions"
      controls={
        data &&
        data.length > 1 && (
          <Button onClick={() => endOthers.mutate()}>Sign out other sessions</Button>
        )
      }
    >
      <ListTable
        label="Active sessions"
        records={{ data: data && { items: data }, error, isPending, refetch }}
        columns={[...COLUMNS, signOut]}
        rowKey={({ id }) => id}
        size={{ minWidth: 560, skeletonRows: 2 }}
        changeError={end.error ?? endOthers.error}
      />
    </Section>
  );
}
