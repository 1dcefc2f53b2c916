/** Creates the linked issue of a production event or regression at a code host, and links to it. */
import { Button, Menu } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { IssueTracker, LinkedIssue } from '../../../api';
import { ErrorState } from '../../../ui';
import { createLinkedIssue, linkedIssueQuery, type IssueSubject } from './notification-queries';

type IssueProps = IssueSubject & { mayWrite: boolean };

export function IssueAction({ kind, id, mayWrite }: IssueProps) {
  const client = useQueryClient();
  const query = linkedIssueQuery({ kind, id });
  const { data: issue } = useQuery(query);
  const create = useMutation({
    mutationFn: (channelId: string) => createLinkedIssue({ kind, id }, channelId),
    onSuccess: (created) => client.setQueryData(query.queryKey, created),
  });
  if (!issue) return null;
  if (issue.state === 'created') return <IssueLink issue={issue} />;
  if (!mayWrite) return null;
  const problem = create.error ?? problemOf(issue);
  return (
    <>
      {problem && <ErrorState compact what="Could not create the issue" error={problem} />}
      <CreateButton
        trackers={issue.trackers}
        isPending={create.isPending || issue.state === 'creating'}
        onCreate={create.mutate}
      />
    </>
  );
}

function IssueLink({ issue }: { issue: LinkedIssue }) {
  return (
    <a href={issue.url ?? undefined} className="link" target="_blank" rel="noopener noreferrer">
      Issue #{issue.number}
    </a>
  );
}

const problemOf = ({ problem }: LinkedIssue): Error | null =>
  problem ? Object.assign(new Error(), { facts: problem }) : null;

type ButtonProps = {
  trackers: readonly IssueTracker[];
  isPending: boolean;
  onCreate: (channelId: string) => void;
};

function CreateButton({ trackers, isPending, onCreate }: ButtonProps) {
  const [first] = trackers;
  if (trackers.length < 2)
    return (
      <Button
        loading={isPending}
        disabled={!first}
        title={first ? `In ${first.repository}` : 'Add a channel of kind GitHub or GitLab first'}
        onClick={() => first && onCreate(first.channel_id)}
      >
        Create issue
      </Button>
    );
  return (
    <Menu>
      <Menu.Target>
        <Button loading={isPending}>Create issue</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {trackers.map((one) => (
          <Menu.Item key={one.channel_id} onClick={() => onCreate(one.channel_id)}>
            {one.repository}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
