/**
 * A button that starts a bisect for the part of the increase that the culprit does not explain, or
 * opens that bisect.
 */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Bisect } from '../../../../api';
import { ErrorState } from '../../../../ui';
import { searchRest } from '../shared/bisect-queries';

type Props = { bisect: Bisect; onOpen: (id: string) => void };

export function SearchRest({ bisect, onOpen }: Props) {
  const client = useQueryClient();
  const { rest } = bisect;
  const start = useMutation({
    mutationFn: () => searchRest(bisect.id),
    onSuccess: ({ id }) => onOpen(id),
    onSettled: () => client.invalidateQueries({ queryKey: ['bisect'] }),
  });
  if (!rest) return null;
  const { bisect_id: following } = rest;
  return (
    <>
      <Button
        variant="filled"
        loading={start.isPending}
        onClick={() => (following ? onOpen(following) : start.mutate())}
      >
        {following ? 'Open the search for the rest' : 'Search for the rest'}
      </Button>
      {start.error && (
        <ErrorState compact what="Could not start the search for the rest" error={start.error} />
      )}
    </>
  );
}
