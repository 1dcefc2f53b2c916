/** Queries of webhooks and their deliveries. */
import { queryOptions } from '@tanstack/react-query';
import { calls, type HookWords } from '../../../api';

/** The maximum number of webhooks of a team. */
const MOST = 100;
const DELIVERIES = 20;
const LOOK_MS = 3_000;

export const webhooksQuery = queryOptions({
  queryKey: ['webhook', 'list'],
  queryFn: ({ signal }) => calls.webhooksList({ query: { limit: MOST }, signal }),
});

/** Polled while a delivery is pending. */
export const deliveriesQuery = (hook_id: string) =>
  queryOptions({
    queryKey: ['webhook', hook_id, 'deliveries'],
    queryFn: ({ signal }) =>
      calls.webhooksDeliveries({
        path: { webhook_id: hook_id },
        query: { limit: DELIVERIES },
        signal,
      }),
    refetchInterval: ({ state }) =>
      state.data?.items.some((each) => each.state === 'waiting') ? LOOK_MS : false,
  });

export const createWebhook = (body: HookWords) => calls.webhooksCreate({ body });
export const deleteWebhook = (webhook_id: string) => calls.webhooksDelete({ path: { webhook_id } });
export const renewSecret = (webhook_id: string) =>
  calls.webhooksRotateSecret({ path: { webhook_id } });
export const reconcileDeliveries = (webhook_id: string) =>
  calls.webhooksReconcile({ path: { webhook_id } });
