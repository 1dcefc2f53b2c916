import { Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member, Role, Session, TeamMembership } from '../../../api';
import { DeleteDialog, ListTable, Section, Timestamp, countOf, type Column } from '../../../ui';
import { Invitations } from './Invitations';
import { membersQuery, removeMember, sessionQuery, updateRole } from './account-queries';
import { ROLES, assignableRoles, canManageMembers } from './member-roles';

type MembersProps = {
  team: TeamMembership;
  session: Session;
  /** Called when the current user has left the team. */
  onGone: () => void;
};

const ROLE = { name: 'role', label: 'Role', options: ['viewer', 'member', 'admin', 'owner'] };

function memberColumns(
  { team, ownId }: { team: TeamMembership; ownId: string },
  onRole: (userId: string, role: Role) => void,
  onLeave: (member: Member) => void,
): Column<Member>[] {
  const manages = canManageMembers(team);
  return [
    {
      id: 'name',
      head: 'Name',
      width: '26%',
      text: ({ name }) => name,
      cell: (member) => <b>{member.name}</b>,
    },
    { id: 'email', head: 'Email', text: ({ email }) => email, cell: (member) => member.email },
    {
      id: 'role',
      head: 'Role',
      text: ({ role }) => role,
      width: 230,
      cell: (member) =>
        member.is_managed ? (
          <span title="The identity provider sets the role through its groups">
            {member.role} <span className="muted">· Managed by SCIM</span>
          </span>
        ) : manages && member.user_id !== ownId ? (
          <Select
            aria-label={`Role of ${member.name}`}
            data={
              assignableRoles(team.role).some(({ value }) => value === member.role)
                ? assignableRoles(team.role)
                : ROLES
            }
            value={member.role}
            allowDeselect={false}
            onChange={(role) => {
              if (role) onRole(member.user_id, role);
            }}
            w={210}
          />
        ) : (
          member.role
        ),
    },
    {
      id: 'since',
      head: 'Joined',
      text: ({ created_at }) => created_at,
      width: 150,
      align: 'right',
      cell: (member) => <Timestamp at={member.created_at} />,
    },
    {
      id: 'act',
      head: '',
      label: 'actions',
      width: 90,
      align: 'right',
      cell: (member) =>
        (manages && !member.is_managed) || member.user_id === ownId ? (
          <button
            type="button"
            className="link"
            aria-label={
              member.user_id === ownId
                ? `Leave ${team.name}`
                : `Remove ${member.name} from the team`
            }
            onClick={() => onLeave(member)}
          >
            {member.user_id === ownId ? 'Leave' : 'Remove'}
          </button>
        ) : null,
    },
  ];
}

export function Members({ team, session, onGone }: MembersProps) {
  const client = useQueryClient();
  const members = useQuery(membersQuery(team.id));
  const onSettled = () => client.invalidateQueries({ queryKey: ['members'] });
  const change = useMutation({
    mutationFn: ({ id, role }: { id: string; role: Role }) => updateRole(team.id, id, role),
    onSettled,
  });
  const [removing, setRemoving] = useState<Member | null>(null);
  const rows = members.data?.items ?? [];
  const manages = canManageMembers(team);
  const columns = memberColumns(
    { team, ownId: session.user.id },
    (id, role) => change.mutate({ id, role }),
    setRemoving,
  );
  return (
    <>
      <Section
        title="Members"
        aside={rows.length > 0 ? countOf(rows.length, 'person', 'people') : undefined}
      >
        <ListTable
          label="Members"
          records={members}
          columns={columns}
          filters={[ROLE]}
          rowKey={(member) => member.user_id}
          size={{ minWidth: 860, rowHeight: 38, skeletonRows: 4 }}
          changeError={change.error}
        />
      </Section>
      {manages && <Invitations team={team} />}
      {removing && (
        <Leave
          team={team}
          member={removing}
          oneself={removing.user_id === session.user.id}
          onClose={() => setRemoving(null)}
          onGone={onGone}
        />
      )}
    </>
  );
}

type LeaveProps = {
  team: TeamMembership;
  member: Member;
  oneself: boolean;
  onClose: () => void;
  onGone: () => void;
};

function Leave({ team, member, oneself, onClose, onGone }: LeaveProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => removeMember(team.id, member.user_id),
    onSuccess: async () => {
      onClose();
      if (!oneself) return;
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      onGone();
    },
    onSettled: () => (oneself ? undefined : client.invalidateQueries({ queryKey: ['members'] })),
  });
  if (oneself)
    return (
      <DeleteDialog
        act="Leave"
        name={team.name}
        noun="the team"
        failed="Could not leave the team"
        remove={remove}
        onClose={onClose}
      >
        You lose access to the team. What you did stays, with your name. You need an invitation to
        rejoin.
      </DeleteDialog>
    );
  return (
    <DeleteDialog
      act="Remove"
      name={`${member.name} from ${team.name}`}
      noun="from the team"
      failed="Could not remove the member"
      remove={remove}
      onClose={onClose}
    >
      They lose access to the team. What they did stays, including the tokens they created, which
      act for the team.
    </DeleteDialog>
  );
}
