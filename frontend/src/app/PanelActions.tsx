/** Actions for the panels of a service on the dashboard; their code is loaded after the panels. */
import type { TeamMembership } from '../api';
import { RANGE_MS, type DashboardView } from '../features/evidence/dashboard';
import { EmbedAction } from '../features/sharing/embedded_panels';
import { GrafanaLink } from '../features/sharing/grafana';
import { PanelToReport } from './AddToReportAction';

type PanelActionsProps = {
  team: TeamMembership;
  service: { id: string; slug: string; name: string };
  environmentId: string;
  range: DashboardView['range'];
};

export default function PanelActions({ team, service, environmentId, range }: PanelActionsProps) {
  const shown =
    typeof range === 'string'
      ? { lengthMs: RANGE_MS[range], untilMs: null }
      : { lengthMs: range.toMs - range.fromMs, untilMs: range.toMs };
  return (
    <>
      {team.role !== 'viewer' && (
        <>
          <PanelToReport team={team} service={service} />
          <EmbedAction service={service} environmentId={environmentId} range={shown} />
        </>
      )}
      <GrafanaLink service={service.slug} environmentId={environmentId} range={range} />
    </>
  );
}
