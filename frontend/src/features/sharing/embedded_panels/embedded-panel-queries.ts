import { queryOptions } from '@tanstack/react-query';
import { calls, type EmbeddedPanelIn } from '../../../api';

export const embeddedPanelsQuery = (service_id: string) =>
  queryOptions({
    queryKey: ['embedded_panel', service_id],
    queryFn: ({ signal }) => calls.embeddedPanelsList({ query: { service_id }, signal }),
  });

export const createEmbeddedPanel = (body: EmbeddedPanelIn) => calls.embeddedPanelsCreate({ body });
export const revokeEmbeddedPanel = (embedded_panel_id: string) =>
  calls.embeddedPanelsRevoke({ path: { embedded_panel_id } });
