import { Button, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invitation, Role, TeamMembership } from '../../../api';
import {
  OneTimeSecret,
  ErrorState,
  ListTable,
  Section,
  Timestamp,
  type Column,
  onText,
} from '../../../ui';
import classes from './Settings.module.css';
import { invitationsQuery, invite, renewInvitation, withdrawInvitation } from './account-queries';
import { assignableRoles } from './member-roles';

const LIVES = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
];

const invitedName = ({ email }: Invitation): string => email ?? 'anyone with the link';

function invitationColumns(
  onRenew: (id: string) => void,
  onRevoke: (id: string) => void,
): Column<Invitation>[] {
  return [
    {
      id: 'for',
      head: 'Email',
      text: invitedName,
      cell: (one) =>
        one.email === null ? (
          <span className="muted">anyone with the link</span>
        ) : (
          <>
            {one.email}
            {one.mailed_at !== null && <span className="muted"> · emailed</span>}
            {one.mail_error !== null && (
              <span className="err" title={one.mail_error.detail}>
                {' '}
                · email rejected
              </span>
            )}
          </>
        ),
    },
    { id: 'role', head: 'Role', width: 110, text: ({ role }) => role, cell: (one) => one.role },
    {
      id: 'by',
      head: 'Invited by',
      text: ({ created_by }) => created_by,
      width: 180,
      cell: (one) => one.created_by ?? <span className="muted">–</span>,
    },
    {
      id: 'ends',
      head: 'Expires',
      text: ({ expires_at }) => expires_at,
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
            aria-label={`New link for ${invitedName(one)}`}
            title="Creates a new link, valid for a week. The previous link stops working"
            onClick={() => onRenew(one.id)}
          >
            New link
          </button>
          <button
            type="button"
            className="link"
            aria-label={`Revoke the invitation of ${invitedName(one)}`}
            onClick={() => onRevoke(one.id)}
          >
            Revoke
          </button>
        </span>
      ),
    },
  ];
}

type NewInvitationProps = { team: TeamMembership; onCreated: (invitation: Invitation) => void };

function NewInvitation({ team, onCreated }: NewInvitationProps) {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [days, setDays] = useState('7');
  const add = useMutation({
    mutationFn: () =>
      invite(team.id, { email: email || null, role, expires_in_days: Number(days) }),
    onSettled: () => client.invalidateQueries({ queryKey: ['invitations'] }),
    onSuccess: (invitation) => {
      setEmail('');
      onCreated(invitation);
    },
  });
  return (
    <>
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
          onChange={onText(setEmail)}
        />
        <Select
          label="Role"
          data={assignableRoles(team.role)}
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
          onChange={(next) => setDays(next ?? '7')}
          w={110}
        />
        <Button type="submit" loading={add.isPending}>
          Create invitation
        </Button>
      </form>
      {add.error && <ErrorState error={add.error} />}
    </>
  );
}

/** The open invitations of a team, and a form for a new one. */
export function Invitations({ team }: { team: TeamMembership }) {
  const client = useQueryClient();
  const invitations = useQuery(invitationsQuery(team.id));
  const [made, setMade] = useState<Invitation | null>(null);
  const onSettled = () => client.invalidateQueries({ queryKey: ['invitations'] });
  const renew = useMutation({
    mutationFn: (id: string) => renewInvitation(team.id, id),
    onSettled,
    onSuccess: setMade,
  });
  const withdraw = useMutation({
    mutationFn: (id: string) => withdrawInvitation(team.id, id),
    onSettled,
    // The link that is shown is invalid now.
    onSuccess: (_, id) => setMade((shown) => (shown?.id === id ? null : shown)),
  });
  const secret = made?.secret;
  return (
    <Section title="Invitations" aside="each link is valid for one person">
      <NewInvitation team={team} onCreated={setMade} />
      {secret && (
        <OneTimeSecret
          lead={`Send this link${made.email ? ` to ${made.email}` : ''}.`}
          note="The link is shown once. Slowpath stores only its hash."
          label="Invitation link"
          secret={`${window.location.origin}/invitations/${secret}`}
        />
      )}
      <ListTable
        label="Invitations"
        records={invitations}
        columns={invitationColumns(renew.mutate, withdraw.mutate)}
        rowKey={(one) => one.id}
        size={{ minWidth: 840, skeletonRows: 0 }}
        changeError={renew.error ?? withdraw.error}
        empty={{ text: 'No open invitations.', help: 'teams' }}
      />
    </Section>
  );
}
