/** Queries of the user's subscriptions and of their mail schedule. */
import { queryOptions } from '@tanstack/react-query';
import { calls, type MailScheduleIn, type SubscriptionIn } from '../../../api';

export const subscriptionQuery = (service_id: string) =>
  queryOptions({
    queryKey: ['subscription', 'service', service_id],
    queryFn: ({ signal }) => calls.subscriptionsGet({ path: { service_id }, signal }),
  });

export const subscriptionsQuery = queryOptions({
  queryKey: ['subscription', 'list'],
  queryFn: ({ signal }) => calls.subscriptionsList({ signal }),
});

export const mailScheduleQuery = queryOptions({
  queryKey: ['mail_schedule'],
  queryFn: ({ signal }) => calls.mailScheduleGet({ signal }),
});

export const setMailSchedule = (body: MailScheduleIn) => calls.mailScheduleSet({ body });

/** Saves a subscription to a service, or to all services if `service_id` is null. */
export async function saveSubscription(service_id: string | null, body: SubscriptionIn) {
  if (service_id === null) await calls.subscriptionsCreateOfAll({ body });
  else await calls.subscriptionsCreate({ path: { service_id }, body });
}

export async function endSubscription(service_id: string | null) {
  if (service_id === null) await calls.subscriptionsDeleteOfAll();
  else await calls.subscriptionsDelete({ path: { service_id } });
}

export const unsubscribeLinkQuery = (token: string) =>
  queryOptions({
    queryKey: ['subscription', 'link', token],
    queryFn: ({ signal }) => calls.unsubscribeLinksGet({ path: { token }, signal }),
    retry: false,
  });

export const unsubscribeByLink = (token: string) => calls.unsubscribeLinksUse({ path: { token } });
