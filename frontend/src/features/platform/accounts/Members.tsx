import { Button, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invitation, Member, Role, Session, TeamMembership } from '../../../api';
import {
  CopyField,
  DataTable,
  DeleteDialog,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  Timestamp,
  countOf,
  type Column,
} from '../../../ui';
import classes from './Settings.module.css';
import {
  updateRole,
  invitationsQuery,
  invite,
  membersQuery,
  removeMember,
  renewInvitation,
  sessionQuery,
  withdrawInvitation,
} from './account-queries';

const ROLES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'viewer: read' },
  { value: 'member', label: 'member: upload and compare' },
  { value: 'admin', label: 'admin: also manage services and tokens' },
  { value: 'owner', label: 'owner: also manage the team' },
];

const LIVES = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
];

/** Roles that a member with this role can assign: their own at most. */
const givable = (role: Role) => ROLES.slice(0, ROLES.findIndex(({ value }) => value === role) + 1);
export const canManageMembers = ({ role }: { role: Role }): boolean =>
  role === 'admin' || role === 'owner';

type MembersProps = {
  team: TeamMembership;
  session: Session;
  /** The current user left the team. */
  onGone: () => void;
};

export function Members({ team, session, onGone }: MembersProps) {
  const client = useQueryClient();
  const members = useQuery(membersQuery(team.id));
  const onSettled = () => client.invalidateQueries({ queryKey: ['members'] });
  const change = useMutation({
    mutationFn: ({ id, role }: { id: string; role: Role }) => updateRole(team.id, id, role),
    onSettled,
  });
  const [leaving, setLeaving] = useState<Member | null>(null);
  const rows = members.data?.items ?? [];
  const manages = canManageMembers(team);
  const columns: Column<Member>[] = [
    { id: 'name', head: 'Name', width: '26%', cell: (member) => <b>{member.name}</b> },
    { id: 'email', head: 'Email', cell: (member) => member.email },
    {
      id: 'role',
      head: 'Role',
      width: 230,
      cell: (member) =>
        manages && member.user_id !== session.user.id ? (
          <Select
            aria-label={`Role of ${member.name}`}
            data={
              givable(team.role).some(({ value }) => value === member.role)
                ? givable(team.role)
                : ROLES
            }
            value={member.role}
            allowDeselect={false}
            onChange={(role) => {
              if (role) change.mutate({ id: member.user_id, role: role });
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
        manages || member.user_id === session.user.id ? (
          <button
            type="button"
            className="link"
            aria-label={
              member.user_id === session.user.id
                ? `Leave ${team.name}`
                : `Remove ${member.name} from the team`
            }
            onClick={() => {
              setLeaving(member);
            }}
          >
            {member.user_id === session.user.id ? 'Leave' : 'Remove'}
          </button>
        ) : null,
    },
  ];
  const error = members.error ?? change.error;
  return (
    <>
      <Section
        title="Members"
        aside={rows.length > 0 ? countOf(rows.length, 'person', 'people') : undefined}
      >
        {error && <ErrorState error={error} />}
        {members.isPending && <SkeletonRows rows={4} height={38} />}
        {rows.length > 0 && (
          <DataTable
            label="Members"
            columns={columns}
            rowCount={rows.length}
            rowAt={(index) => rows[index]!}
            rowKey={(member) => member.user_id}
            rowHeight={38}
            minWidth={860}
          />
        )}
      </Section>
      {manages && <Invitations team={team} />}
      {leaving && (
        <Leave
          team={team}
          member={leaving}
          oneself={leaving.user_id === session.user.id}
          onClose={() => {
            setLeaving(null);
          }}
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

function Invitations({ team }: { team: TeamMembership }) {
  const client = useQueryClient();
  const invitations = useQuery(invitationsQuery(team.id));
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [days, setDays] = useState('7');
  const [made, setMade] = useState<Invitation | null>(null);
  const onSettled = () => client.invalidateQueries({ queryKey: ['invitations'] });
  const add = useMutation({
    mutationFn: () =>
      invite(team.id, { email: email || null, role, expires_in_days: Number(days) }),
    onSettled,
    onSuccess: (invitation) => {
      setEmail('');
      setMade(invitation);
    },
  });
  const renew = useMutation({
    mutationFn: (id: string) => renewInvitation(team.id, id),
    onSettled,
    onSuccess: setMade,
  });
  const withdraw = useMutation({
    mutationFn: (id: string) => withdrawInvitation(team.id, id),
    onSettled,
  });
  const rows = invitations.data?.items ?? [];
  const columns: Column<Invitation>[] = [
    {
      id: 'for',
      head: 'Email',
      cell: (one) =>
        one.email === null ? (
          <span className="muted">anyone with the link</span>
        ) : (
          <>
            {one.email}
            {one.mailed_at !== null && <span className="muted"> · emailed</span>}
            {one.mail_error !== null && (
              <span
                className="err"
                title={
                  typeof one.mail_error.detail === 'string' ? one.mail_error.detail : undefined
                }
              >
                {' '}
                · email rejected
              </span>
            )}
          </>
        ),
    },
    { id: 'role', head: 'Role', width: 110, cell: (one) => one.role },
    {
      id: 'by',
      head: 'Invited by',
      width: 180,
      cell: (one) => one.created_by ?? <span className="muted">–</span>,
    },
    {
      id: 'ends',
      head: 'Expires',
      width: 160,
      align: 'right',
      cell: (one) => <Timestamp at={one.expires_at} exact />,
    },
    {
      id: 'act',
      head: '',
      label: 'actions',
      width: 160,
      align: 'right',
      cell: (one) => (
        <span className={classes.acts}>
          <button
            type="button"
            className="link"
            title="Creates a new link, valid for a week. The previous link stops working"
            onClick={() => {
              renew.mutate(one.id);
            }}
          >
            New link
          </button>
          <button
            type="button"
            className="link"
            onClick={() => {
              withdraw.mutate(one.id);
            }}
          >
            Revoke
          </button>
        </span>
      ),
    },
  ];
  const secret = made?.secret;
  const error = invitations.error ?? add.error ?? renew.error ?? withdraw.error;
  return (
    <Section title="Invitations" aside="each link is valid for one person">
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <TextInput
          label="Email"
          description="For reference only: anyone with the link can use it once"
          type="email"
          w={280}
          value={email}
          onChange={(event) => {
            setEmail(event.currentTarget.value);
          }}
        />
        <Select
          label="Role"
          data={givable(team.role)}
          allowDeselect={false}
          value={role}
          onChange={(next) => {
            if (next) setRole(next);
          }}
          w={210}
        />
        <Select
          label="Expires after"
          data={LIVES}
          allowDeselect={false}
          value={days}
          onChange={(next) => {
            setDays(next ?? '7');
          }}
          w={110}
        />
        <Button type="submit" loading={add.isPending}>
          Create invitation
        </Button>
      </form>
      {error && <ErrorState error={error} />}
      {secret && (
        <div className={classes.once}>
          <p>
            <b>Send this link{made.email ? ` to ${made.email}` : ''}.</b> The link is shown once.
            Slowpath stores only its hash.
          </p>
          <CopyField
            label="Invitation link"
            value={`${window.location.origin}/invitations/${secret}`}
          />
        </div>
      )}
      {invitations.data && rows.length === 0 && (
        <EmptyState help="teams">No open invitations.</EmptyState>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Invitations"
          columns={columns}
          rowCount={rows.length}
          rowAt={(index) => rows[index]!}
          rowKey={(one) => one.id}
          minWidth={840}
        />
      )}
    </Section>
  );
}
