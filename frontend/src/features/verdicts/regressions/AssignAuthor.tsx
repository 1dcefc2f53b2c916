/** One click assigns a regression to the author of its suspect commit. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ErrorState } from '../../../ui';
import { updateRegression } from './regression-queries';

type AssignProps = {
  regressionId: string;
  assigneeId: string | null;
  author: { id: string; name: string };
};

export function AssignAuthor({ regressionId, assigneeId, author }: AssignProps) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () => updateRegression(regressionId, { assignee_id: author.id }),
    onSettled: () => client.invalidateQueries({ queryKey: ['regression'] }),
  });
  if (assigneeId === author.id) return <span className="muted">assigned</span>;
  return (
    <>
      <Button size="compact-sm" loading={save.isPending} onClick={() => save.mutate()}>
        Assign to {author.name}
      </Button>
      {save.error && <ErrorState compact what="Could not assign" error={save.error} />}
    </>
  );
}
