/** The roles of members, and who may assign which. */
import type { Role } from '../../../api';

export const ROLES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'viewer: read' },
  { value: 'member', label: 'member: upload and compare' },
  { value: 'admin', label: 'admin: also manage services and tokens' },
  { value: 'owner', label: 'owner: also manage the team' },
];

/** Returns the roles that a member with this role can assign: none above it. */
export const assignableRoles = (role: Role) =>
  ROLES.slice(0, ROLES.findIndex(({ value }) => value === role) + 1);
export const canManageMembers = ({ role }: { role: Role }): boolean =>
  role === 'admin' || role === 'owner';
