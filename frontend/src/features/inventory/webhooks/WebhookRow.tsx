/** One webhook: its URL, services and state, and its deliveries on request. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Hook, WebhookCreatedOut } from '../../../api';
import {
  CopyField,
  ErrorState,
  ExpandButton,
  ListRow,
  RowAction,
  RowActions,
  RowLine,
  RowList,
  RowName,
  RowText,
  SkeletonRows,
  StateIcon,
  Timestamp,
  countOf,
} from '../../../ui';
import { deliveriesQuery, reconcileDeliveries, renewSecret } from './webhook-queries';
import { DELIVERY_STATES, KINDS, aboutText } from './webhook-wording';

type RowProps = {
  hook: Hook;
  mayManage: boolean;
  onSecret: (made: WebhookCreatedOut) => void;
  onDelete: () => void;
};

export function WebhookRow({ hook, mayManage, onSecret, onDelete }: RowProps) {
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  const renew = useMutation({ mutationFn: () => renewSecret(hook.id), onSuccess: onSecret });
  const look = useMutation({
    mutationFn: () => reconcileDeliveries(hook.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['webhook'] }),
  });
  const error = renew.error ?? look.error;
  return (
    <ListRow label={hook.name}>
      <RowLine>
        <RowName>{hook.name}</RowName>
        <span className="muted">{KINDS[hook.kind]}</span>
        {hook.target && <RowText mono>{hook.target}</RowText>}
        <span className="t2">{aboutText(hook)}</span>
        {mayManage && (
          <RowActions>
            {hook.api_url && (
              <RowAction
                word="Check for missed deliveries"
                label={`Check for missed deliveries of ${hook.name}`}
                loading={look.isPending}
                onClick={() => look.mutate()}
              />
            )}
            <RowAction
              word="Renew secret"
              label={`Renew secret of ${hook.name}`}
              loading={renew.isPending}
              onClick={() => renew.mutate()}
            />
            <RowAction word="Delete" label={`Delete ${hook.name}`} onClick={onDelete} />
          </RowActions>
        )}
      </RowLine>
      <CopyField label="URL" value={hook.address} />
      <RowLine>
        <span className="muted">
          {hook.last_delivery_at ? (
            <>
              Last delivery <Timestamp at={hook.last_delivery_at} />
            </>
          ) : (
            'no deliveries yet'
          )}
          {hook.reconciled_at && (
            <>
              {' · checked for missed deliveries '}
              <Timestamp at={hook.reconciled_at} />
              {hook.missed_count > 0 &&
                `, ${countOf(hook.missed_count, 'delivery', 'deliveries')} requested again`}
            </>
          )}
        </span>
        <ExpandButton noun="Deliveries" opened={opened} onOpened={setOpened} />
      </RowLine>
      {hook.problem && (
        <ErrorState
          compact
          what="Could not check for missed deliveries"
          error={Object.assign(new Error(), { facts: hook.problem })}
        />
      )}
      {error && <ErrorState compact error={error} />}
      {opened && <Deliveries hook={hook} />}
    </ListRow>
  );
}

function Deliveries({ hook }: { hook: Hook }) {
  const deliveries = useQuery(deliveriesQuery(hook.id));
  if (deliveries.isPending) return <SkeletonRows rows={2} />;
  if (deliveries.error) return <ErrorState compact error={deliveries.error} />;
  const { items } = deliveries.data;
  if (items.length === 0) return <p className="muted">No deliveries yet.</p>;
  return (
    <RowList label={`Deliveries of ${hook.name}`}>
      {items.map((delivery) => {
        const [glyph, word] = DELIVERY_STATES[delivery.state];
        return (
          <li key={delivery.id}>
            <RowLine>
              <StateIcon glyph={glyph}>{word}</StateIcon>
              <RowText mono>{delivery.event}</RowText>
              <RowText>{delivery.outcome}</RowText>
              <span className="muted">
                <Timestamp at={delivery.created_at} />
              </span>
            </RowLine>
          </li>
        );
      })}
    </RowList>
  );
}
