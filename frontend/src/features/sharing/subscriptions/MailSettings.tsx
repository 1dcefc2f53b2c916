/** Settings of the mails that the user gets from a team. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnSubscription } from '../../../api';
import {
  ErrorState,
  ListRow,
  ListSection,
  RowAction,
  RowActions,
  RowLine,
  RowName,
} from '../../../ui';
import { servicesQuery } from '../../inventory/catalog';
import { signInMethodsQuery } from '../../platform/accounts';
import { MailScheduleForm } from './MailScheduleForm';
import { SubscriptionForm } from './SubscriptionForm';
import {
  endSubscription,
  mailScheduleQuery,
  saveSubscription,
  subscriptionsQuery,
} from './subscription-queries';
import { includedText } from './subscription-wording';

export type MailSettingsProps = { teamName: string };
type Row = OwnSubscription & { id: string; name: string };

/** Hidden if the server sends no mail. */
export default function MailSettings({ teamName }: MailSettingsProps) {
  const methods = useQuery(signInMethodsQuery);
  const schedule = useQuery({
    ...mailScheduleQuery,
    enabled: methods.data?.is_mail_configured === true,
  });
  if (!methods.data?.is_mail_configured) return null;
  return (
    <>
      <Subscriptions teamName={teamName} />
      {schedule.error && <ErrorState what="Could not load the schedule" error={schedule.error} />}
      {schedule.data && <MailScheduleForm key={teamName} stored={schedule.data} />}
    </>
  );
}

function Subscriptions({ teamName }: MailSettingsProps) {
  const client = useQueryClient();
  const services = useQuery(servicesQuery);
  const subscriptions = useQuery(subscriptionsQuery);
  const [edited, setEdited] = useState<Row | null>(null);
  const onSettled = () => client.invalidateQueries({ queryKey: ['subscription'] });
  const subscribe = useMutation({ mutationFn: () => saveSubscription(null, {}), onSettled });
  const end = useMutation({ mutationFn: endSubscription, onSettled });
  const names = new Map((services.data?.items ?? []).map((one) => [one.id, one.name]));
  const items = (subscriptions.data?.items ?? []).map((one): Row => {
    const name =
      one.service_id === null ? 'All services' : (names.get(one.service_id) ?? 'Service');
    return { ...one, id: one.service_id ?? 'all', name };
  });
  const hasAll = items.some(({ service_id }) => service_id === null);
  const error = subscribe.error ?? end.error;
  return (
    <ListSection<Row>
      title="Subscriptions"
      aside={`events of ${teamName} by e-mail`}
      help="subscriptions"
      query={{ ...subscriptions, data: subscriptions.data && { items } }}
      add={
        !hasAll && (
          <Button loading={subscribe.isPending} onClick={() => subscribe.mutate()}>
            Subscribe to all services
          </Button>
        )
      }
      empty="No subscriptions. Subscribe to all services here, or to one on its page."
      above={error && <ErrorState compact what="Could not change it" error={error} />}
      row={(one) => (
        <ListRow label={one.name}>
          <RowLine>
            <RowName>{one.name}</RowName>
            <RowActions>
              <RowAction word="Edit" label={`Edit ${one.name}`} onClick={() => setEdited(one)} />
              <RowAction
                word="Unsubscribe"
                label={`Unsubscribe from ${one.name}`}
                loading={end.isPending && end.variables === one.service_id}
                onClick={() => end.mutate(one.service_id)}
              />
            </RowActions>
          </RowLine>
          <RowLine>
            <span className="t2">{includedText(one)}</span>
          </RowLine>
        </ListRow>
      )}
    >
      {edited && (
        <SubscriptionForm
          serviceId={edited.service_id}
          title={`Subscription: ${edited.name}`}
          subscription={edited}
          onClose={() => setEdited(null)}
        />
      )}
    </ListSection>
  );
}
