import { Button } from '@mantine/core';
import type { InboxItem } from '../../../api';
import type { InboxKeys } from './use-inbox-keys';
import type { Triage } from './use-triage';

type CardActionsProps = {
  item: InboxItem;
  me: string;
  triage: Triage;
  onOpen: (item: InboxItem) => void;
  keys: InboxKeys;
};

const OPEN_LABELS: Record<InboxItem['kind'], string> = {
  'production-event': 'Open event',
  regression: 'Open regression',
  bisect: 'Open bisect',
  channel: 'Open settings',
  'metric-source': 'Open settings',
};

/** The most common actions on an item, on its card on a narrow screen. */
export function CardActions({ item, me, triage, onOpen, keys }: CardActionsProps) {
  const isOwn = item.assignee?.id === me;
  return (
    <>
      <Button variant="filled" onClick={() => onOpen(item)}>
        {OPEN_LABELS[item.kind]}
      </Button>
      {!isOwn && item.actions.includes('assign') && (
        <Button
          disabled={triage.isPending}
          onClick={() => triage.act([item], { type: 'assign', assignee_id: me })}
        >
          Assign to me
        </Button>
      )}
      {item.actions.includes('snooze') && (
        <Button onClick={() => keys.open('snooze')}>Snooze</Button>
      )}
    </>
  );
}
