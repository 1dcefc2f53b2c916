/** Subscribes the current user to the items of a service. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ErrorState } from '../../../ui';
import { subscribe, subscriptionQuery, unsubscribe } from './inbox-queries';

export function SubscribeAction({ serviceId }: { serviceId: string }) {
  const client = useQueryClient();
  const subscription = useQuery(subscriptionQuery(serviceId));
  const isSubscribed = subscription.data?.is_subscribed ?? false;
  const change = useMutation({
    mutationFn: () => (isSubscribed ? unsubscribe(serviceId) : subscribe(serviceId)),
    onSettled: () => client.invalidateQueries({ queryKey: subscriptionQuery(serviceId).queryKey }),
  });
  return (
    <>
      {change.error && (
        <ErrorState compact what="Could not change the subscription" error={change.error} />
      )}
      <Button
        aria-pressed={isSubscribed}
        disabled={!subscription.data}
        loading={change.isPending}
        title="Subscribers get regressions, production events and finished bisects of the service by e-mail."
        onClick={() => change.mutate()}
      >
        {isSubscribed ? 'Unsubscribe' : 'Subscribe'}
      </Button>
    </>
  );
}
