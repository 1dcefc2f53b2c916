import type { TeamMembership } from '../api';
export function UploadPlace({ team }: { team: TeamMembership }) { return <span hidden>{team.slug}</span>; }
