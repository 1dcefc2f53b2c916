/** The form of a subscription: the events that it includes, and a button to end it. */
import { Button, Checkbox, Select } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnSubscription } from '../../../api';
import { ErrorState, FormBody, FormDialog } from '../../../ui';
import { EVENTS, type NotificationEvent } from '../notifications';
import classes from './subscriptions.module.css';
import { endSubscription, saveSubscription } from './subscription-queries';
import { SEVERITIES, type Severity } from './subscription-wording';

type FormProps = {
  /** Null for all services. */
  serviceId: string | null;
  title: string;
  subscription: Pick<OwnSubscription, 'events' | 'min_severity'>;
  /** The subscription to all services applies; saving creates one to this service only. */
  isOfAllServices?: boolean;
  onClose: () => void;
};

export function SubscriptionForm({ title, onClose, ...fields }: FormProps) {
  return (
    <FormDialog title={title} onClose={onClose}>
      <Fields {...fields} onClose={onClose} />
    </FormDialog>
  );
}

function Fields({
  serviceId,
  subscription,
  isOfAllServices = false,
  onClose,
}: Omit<FormProps, 'title'>) {
  const client = useQueryClient();
  const [events, setEvents] = useState<string[]>(subscription.events);
  const [severity, setSeverity] = useState<Severity>(subscription.min_severity);
  const onSuccess = async () => {
    await client.invalidateQueries({ queryKey: ['subscription'] });
    onClose();
  };
  const save = useMutation({
    mutationFn: () =>
      saveSubscription(serviceId, {
        events: events as NotificationEvent[],
        min_severity: severity,
      }),
    onSuccess,
  });
  const end = useMutation({ mutationFn: () => endSubscription(serviceId), onSuccess });
  return (
    <FormBody
      what="Could not save the subscription"
      submit="Save"
      save={save}
      blocked={events.length === 0 ? 'Select at least one event, or unsubscribe' : undefined}
      onCancel={onClose}
    >
      {isOfAllServices && (
        <p className="t2">
          You are subscribed to all services. Saving replaces that for this service.
        </p>
      )}
      <Checkbox.Group label="Events" value={events} onChange={setEvents}>
        <div className={classes.events}>
          {EVENTS.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </div>
      </Checkbox.Group>
      <Select
        label="Severity of production events"
        description="Other events have no severity"
        data={SEVERITIES}
        allowDeselect={false}
        value={severity}
        onChange={(next) => setSeverity(next ?? 'low')}
      />
      {!isOfAllServices && (
        <Button className={classes.end} loading={end.isPending} onClick={() => end.mutate()}>
          Unsubscribe
        </Button>
      )}
      {end.error && <ErrorState compact what="Could not unsubscribe" error={end.error} />}
    </FormBody>
  );
}
