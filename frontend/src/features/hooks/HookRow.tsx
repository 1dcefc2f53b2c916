/** One hook: where it is sent to, what it is about, whether anything arrives, and what arrived when asked for. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Hook, HookMade } from '../../api';
import {
  CopyField,
  ErrorState,
  ListRow,
  RowAct,
  RowActs,
  RowLine,
  RowName,
  SkeletonRows,
  StateGlyph,
  Time,
  countOf,
} from '../../ui';
import classes from './hooks.module.css';
import { deliveriesQuery, lookForMissed, renewSecret } from './queries';
import { DELIVERY_STATES, KINDS, aboutText } from './wording';

type RowProps = {
  hook: Hook;
  mayManage: boolean;
  onSecret: (made: HookMade) => void;
  onDelete: () => void;
};

export function HookRow({ hook, mayManage, onSecret, onDelete }: RowProps) {
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  const renew = useMutation({ mutationFn: () => renewSecret(hook.id), onSuccess: onSecret });
  const look = useMutation({
    mutationFn: () => lookForMissed(hook.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['hook'] }),
  });
  const error = renew.error ?? look.error;
  return (
    <ListRow label={hook.name}>
      <RowLine>
        <RowName>{hook.name}</RowName>
        <span className="muted">{KINDS[hook.kind]}</span>
        {hook.target && <span className={`mono ${classes.text}`}>{hook.target}</span>}
        <span className="t2">{aboutText(hook)}</span>
        {mayManage && (
          <RowActs>
            {hook.api_url && (
              <RowAct
                word="Look for missed"
                label={`Look for missed messages of ${hook.name}`}
                loading={look.isPending}
                onClick={() => {
                  look.mutate();
                }}
              />
            )}
            <RowAct
              word="Renew secret"
              label={`Renew secret of ${hook.name}`}
              loading={renew.isPending}
              onClick={() => {
                renew.mutate();
              }}
            />
            <RowAct word="Delete" label={`Delete ${hook.name}`} onClick={onDelete} />
          </RowActs>
        )}
      </RowLine>
      <CopyField label="Address" value={hook.address} />
      <RowLine>
        <span className="muted">
          {hook.last_delivery_at ? (
            <>
              last message <Time at={hook.last_delivery_at} />
            </>
          ) : (
            'nothing has arrived yet'
          )}
          {hook.reconciled_at && (
            <>
              {' · missed messages looked for '}
              <Time at={hook.reconciled_at} />
              {hook.missed > 0 && `, ${countOf(hook.missed, 'message')} asked for again`}
            </>
          )}
        </span>
        <button
          type="button"
          className="link"
          aria-expanded={opened}
          onClick={() => {
            setOpened(!opened);
          }}
        >
          {opened ? 'Hide messages' : 'Messages'}
        </button>
      </RowLine>
      {hook.problem && (
        <ErrorState
          compact
          what="Missed messages could not be looked for"
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
  if (items.length === 0) return <p className="muted">Nothing has arrived yet.</p>;
  return (
    <ul className={classes.deliveries} aria-label={`Messages of ${hook.name}`}>
      {items.map((delivery) => {
        const [glyph, word] = DELIVERY_STATES[delivery.state];
        return (
          <li key={delivery.id}>
            <RowLine>
              <StateGlyph glyph={glyph}>{word}</StateGlyph>
              <span className={`mono ${classes.text}`}>{delivery.event}</span>
              <span className={classes.text}>{delivery.sentence}</span>
              <span className="muted">
                <Time at={delivery.created_at} />
              </span>
            </RowLine>
          </li>
        );
      })}
    </ul>
  );
}
