/** A button that assigns an object to a person of its commit, and then one that unassigns it. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ErrorState } from '../../../ui';
import type { CommitMember } from './CommitPeopleLine';

type AssignProps = {
  person: CommitMember;
  assigneeId: string | null;
  assign: (personId: string | null) => Promise<unknown>;
  /** The first part of the query keys to invalidate. */
  changes: string;
};

export function AssignPerson({ person, assigneeId, assign, changes }: AssignProps) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: assign,
    onSettled: () => client.invalidateQueries({ queryKey: [changes] }),
  });
  const isAssigned = assigneeId === person.id;
  const role = person.role === 'author' ? '' : ` (${person.role})`;
  return (
    <>
      {isAssigned && <span className="muted">assigned to {person.name}</span>}
      <Button
        size="compact-sm"
        loading={save.isPending}
        onClick={() => save.mutate(isAssigned ? null : person.id)}
      >
        {isAssigned ? 'Unassign' : `Assign to ${person.name}${role}`}
      </Button>
      {save.error && <ErrorState compact what="Could not assign" error={save.error} />}
    </>
  );
}
