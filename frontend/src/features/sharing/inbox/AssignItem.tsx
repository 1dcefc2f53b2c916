/** Assigns an item of the inbox to a person of a commit, on the page of the item's subject. */
import { useQuery } from '@tanstack/react-query';
import type { InboxItem } from '../../../api';
import { AssignPerson, type CommitMember } from '../../inventory/repositories';
import { actOnItems, inboxItemQuery } from './inbox-queries';

export type AssignItemProps = { kind: InboxItem['kind']; id: string; person: CommitMember };

export default function AssignItem({ kind, id, person }: AssignItemProps) {
  const item = useQuery(inboxItemQuery(kind, id));
  if (!item.data) return null;
  const assign = async (assignee_id: string | null) => {
    const { results } = await actOnItems({
      items: [{ kind, id }],
      action: { type: 'assign', assignee_id },
    });
    const problem = results[0]?.problem;
    if (problem) throw Object.assign(new Error(problem.detail), { facts: problem });
  };
  return (
    <AssignPerson
      person={person}
      assigneeId={item.data.assignee?.id ?? null}
      assign={assign}
      changes="inbox"
    />
  );
}
