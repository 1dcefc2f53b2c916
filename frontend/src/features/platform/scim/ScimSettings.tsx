import { useQuery } from '@tanstack/react-query';
import type { ProvisionedMember, TeamMembership } from '../../../api';
import {
  CopyField,
  ErrorState,
  ListTable,
  Section,
  SkeletonRows,
  Timestamp,
  type Column,
} from '../../../ui';
import classes from './Scim.module.css';
import { ScimTokens } from './ScimTokens';
import { provisionedMembersQuery, scimQuery } from './scim-queries';

/** Returns the state of a provisioned member: the first that applies. */
export function stateOf({ is_active, has_joined, is_managed }: ProvisionedMember): string {
  if (!is_active) return 'inactive';
  if (!has_joined) return 'joins with the next sign-in';
  return is_managed ? 'managed' : 'added by hand, address not proven';
}

const COLUMNS: Column<ProvisionedMember>[] = [
  {
    id: 'user',
    head: 'User name',
    width: '30%',
    text: ({ user_name }) => user_name,
    cell: (member) => <b>{member.user_name}</b>,
  },
  { id: 'name', head: 'Name', text: ({ name }) => name, cell: (member) => member.name ?? '–' },
  { id: 'role', head: 'Role', width: 90, text: ({ role }) => role, cell: (member) => member.role },
  {
    id: 'state',
    head: 'State',
    width: 290,
    text: stateOf,
    cell: (member) => (
      <span className={member.is_active ? undefined : 'muted'}>{stateOf(member)}</span>
    ),
  },
  {
    id: 'changed',
    head: 'Changed',
    width: 130,
    align: 'right',
    text: ({ updated_at }) => updated_at,
    cell: (member) => <Timestamp at={member.updated_at} />,
  },
];

/** Settings of the provisioning of members by an identity provider. */
export function ScimSettings({ team }: { team: TeamMembership }) {
  const settings = useQuery(scimQuery(team.id));
  const members = useQuery(provisionedMembersQuery(team.id));
  return (
    <Section
      title="Provisioning (SCIM)"
      aside="an identity provider adds and removes members, and decides their roles"
    >
      {settings.isPending && <SkeletonRows rows={2} />}
      {settings.error && (
        <ErrorState what="Could not load the SCIM settings" error={settings.error} />
      )}
      {settings.data && (
        <div className={classes.facts}>
          <CopyField label="SCIM base URL" value={settings.data.base_url} />
          <p className="muted">
            Last synchronization:{' '}
            {settings.data.last_synchronized_at ? (
              <Timestamp at={settings.data.last_synchronized_at} />
            ) : (
              'never'
            )}
            .{' '}
            <a className="link" href="/help/administration#provisioning-scim">
              How to set it up
            </a>
          </p>
        </div>
      )}
      <ScimTokens team={team} />
      <ListTable
        label="Provisioned members"
        records={members}
        columns={COLUMNS}
        rowKey={(member) => member.id}
        size={{ minWidth: 860, rowHeight: 38, skeletonRows: 2 }}
        empty={{ text: 'No provisioned members yet.' }}
      />
    </Section>
  );
}
