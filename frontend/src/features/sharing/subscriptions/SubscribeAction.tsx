/** Subscribes the current user to a service; a dialog changes or ends the subscription. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState } from '../../../ui';
import { SubscriptionForm } from './SubscriptionForm';
import { saveSubscription, subscriptionQuery } from './subscription-queries';

export function SubscribeAction({ serviceId }: { serviceId: string }) {
  const client = useQueryClient();
  const { data: subscription } = useQuery(subscriptionQuery(serviceId));
  const [isOpen, setOpen] = useState(false);
  const subscribe = useMutation({
    mutationFn: () => saveSubscription(serviceId, {}),
    onSettled: () => client.invalidateQueries({ queryKey: ['subscription'] }),
  });
  const isSubscribed = subscription?.is_subscribed ?? false;
  return (
    <>
      {subscribe.error && <ErrorState compact what="Could not subscribe" error={subscribe.error} />}
      <Button
        disabled={!subscription}
        loading={subscribe.isPending}
        title={
          isSubscribed
            ? 'You get events of this service by e-mail'
            : 'Get production events, regressions and finished bisects of this service by e-mail'
        }
        onClick={() => (isSubscribed ? setOpen(true) : subscribe.mutate())}
      >
        {isSubscribed ? 'Subscribed' : 'Subscribe'}
      </Button>
      {isOpen && subscription && (
        <SubscriptionForm
          serviceId={serviceId}
          title="Subscription to this service"
          subscription={subscription}
          isOfAllServices={subscription.is_of_all_services}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
