/**
 * *Copy*: copies what the page of a comparison, regression, production event or bisect shows, as
 * text.
 */
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useMatches, useRouter } from '@tanstack/react-router';
import type { ProductionEvent } from '../api';
import { embeddedPanelsQuery } from '../features/sharing/embedded_panels';
import { bisectQuery } from '../features/verdicts/bisects';
import { comparisonQuery, readView, viewOf } from '../features/verdicts/comparisons';
import { productionEventQuery } from '../features/verdicts/production_events';
import { regressionQuery } from '../features/verdicts/regressions';
import type { CopiedText } from '../lib/copied-text';
import { CopyMenu } from '../ui/CopyMenu';
import {
  copyBisect,
  copyComparison,
  copyEvent,
  copyRegression,
  findEventImage,
} from './copied-documents';

type Body = Omit<CopiedText, 'url'>;
type Search = Record<string, unknown>;
type Reader = (
  client: QueryClient,
  id: string,
  search: Search,
) => Body | null | Promise<Body | null>;

/** By route: the parameter with the id, and the function that returns the text. */
const COPIED: Partial<Record<string, [string, Reader]>> = {
  '/t/$team/comparisons/$comparisonId': [
    'comparisonId',
    (client, id, search) => {
      const comparison = client.getQueryData(comparisonQuery(id).queryKey);
      return comparison ? copyComparison(comparison, viewOf(readView(search)).finding) : null;
    },
  ],
  '/t/$team/regressions/$regressionId': [
    'regressionId',
    (client, id) => {
      const regression = client.getQueryData(regressionQuery(id).queryKey);
      return regression ? copyRegression(regression) : null;
    },
  ],
  '/t/$team/events/$eventId': [
    'eventId',
    (client, id) => {
      const event = client.getQueryData(productionEventQuery(id).queryKey);
      return event ? withPanel(client, event) : null;
    },
  ],
  '/t/$team/bisects/$bisectId': [
    'bisectId',
    (client, id) => {
      const bisect = client.getQueryData(bisectQuery(id).queryKey);
      return bisect ? copyBisect(bisect) : null;
    },
  ],
};

/** Adds the image of a panel that is already embedded elsewhere. It creates no signed links. */
async function withPanel(client: QueryClient, event: ProductionEvent): Promise<Body> {
  const body = copyEvent(event);
  const service = event.item.service?.id;
  if (!service) return body;
  const panels = await client.query(embeddedPanelsQuery(service)).catch(() => null);
  return { ...body, image: panels ? findEventImage(event, panels.items) : undefined };
}

export function CopyTextAction() {
  const client = useQueryClient();
  const router = useRouter();
  const place = useMatches({ select: (matches) => matches.at(-1)?.routeId });
  const copied = place === undefined ? undefined : COPIED[place];
  if (!copied) return null;
  const [param, reader] = copied;
  const text = async (): Promise<CopiedText | null> => {
    const { params, search } = router.state.matches.at(-1) ?? {};
    const id = (params as Record<string, string> | undefined)?.[param];
    const body = id === undefined ? null : await reader(client, id, search ?? {});
    return body && { ...body, url: `${window.location.origin}${router.state.location.href}` };
  };
  return <CopyMenu key={place} text={text} />;
}
