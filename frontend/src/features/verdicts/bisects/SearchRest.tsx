/** Searches after the culprit for what explains the rest of the increase, or opens the bisect that does. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Bisect } from '../../../api';
import { ErrorState } from '../../../ui';
import { startBisect } from './bisect-queries';

type Props = { bisect: Bisect; onOpen: (id: string) => void };

export function SearchRest({ bisect, onOpen }: Props) {
  const client = useQueryClient();
  const { rest, service, regression, signature } = bisect;
  const start = useMutation({
    mutationFn: () =>
      startBisect({
        service_id: service.id,
        regression_id: regression?.id,
        comparison_id: bisect.comparison_id,
        repository_id: bisect.repository_id,
        good_sha: rest?.good_sha,
        bad_sha: rest?.bad_sha,
        signature: { kind: signature.kind, subject: signature.subject },
        settings: bisect.settings,
      }),
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
