/** Forms of actions that need more than a choice: a reason, a date, or what fixed an item. */
import { TextInput, Textarea } from '@mantine/core';
import { fieldTime } from '../../../lib/wall-times';
import { timeZone } from '../../../lib/times';
import { useState } from 'react';
import type { InboxItem } from '../../../api';
import { FormBody, FormDialog, onText } from '../../../ui';
import { FixedByForm } from './FixedByForm';
import type { ActionFormProps } from './action-form-props';
import type { TriageMenu } from './inbox-keys';
import { allows, itemsText } from './inbox-wording';
import type { Triage } from './use-triage';

type TriageFormsProps = {
  targets: InboxItem[];
  opened: TriageMenu | null;
  onClose: () => void;
  triage: Triage;
};

const FORMS = {
  'fixed-by': { title: 'Mark as fixed', Form: FixedByForm },
  mute: { title: 'Mute', Form: MuteForm },
  'set-due': { title: 'Set the due date', Form: DueForm },
  'snooze-until': { title: 'Snooze until a date', Form: SnoozeForm },
} as const;

const hasForm = (menu: TriageMenu): menu is keyof typeof FORMS => menu in FORMS;

export function TriageForms({ targets, opened, onClose, triage }: TriageFormsProps) {
  if (opened === null || !hasForm(opened) || targets.length === 0) return null;
  const { title, Form } = FORMS[opened];
  return (
    <FormDialog title={`${title}: ${itemsText(targets.length)}`} onClose={onClose}>
      <Form
        targets={targets}
        isPending={triage.isPending}
        error={triage.error}
        onCancel={onClose}
        onAct={(action, items = targets) => {
          triage.act(items, action);
          onClose();
        }}
      />
    </FormDialog>
  );
}

const FAILED = 'Could not save the change';

/** Mutes the items that can be muted. If there are none, unmutes the selected ones. */
function MuteForm({ targets, onAct, isPending, error, onCancel }: ActionFormProps) {
  const [reason, setReason] = useState('');
  const shown = targets.filter((item) => allows(item, ['mute']));
  const save = () =>
    shown.length === 0
      ? onAct({ type: 'unmute' })
      : onAct({ type: 'mute', reason: reason.trim() }, shown);
  return (
    <FormBody
      what={FAILED}
      submit={shown.length === 0 ? 'Unmute' : 'Mute'}
      save={{ mutate: save, isPending, error }}
      blocked={shown.length > 0 && reason.trim() === '' ? 'A reason is required.' : undefined}
      onCancel={onCancel}
    >
      {shown.length === 0 ? (
        <p>Muted: {targets.map((item) => item.mute_reason).join('; ')}</p>
      ) : (
        <Textarea
          label="Reason"
          description="Muted items are hidden until they are unmuted. The reason is shown on the item."
          required
          maxLength={1000}
          autosize
          minRows={2}
          data-autofocus
          value={reason}
          onChange={onText(setReason)}
        />
      )}
    </FormBody>
  );
}

function DueForm({ targets, onAct, isPending, error, onCancel }: ActionFormProps) {
  const [due, setDue] = useState(targets[0]?.due_on ?? '');
  const save = () => onAct({ type: 'set-due', due_on: due || null });
  return (
    <FormBody
      what={FAILED}
      submit="Save"
      save={{ mutate: save, isPending, error }}
      onCancel={onCancel}
    >
      <TextInput
        label="Due on"
        description="Leave it empty to remove the due date."
        type="date"
        data-autofocus
        value={due}
        onChange={onText(setDue)}
      />
    </FormBody>
  );
}

function SnoozeForm({ onAct, isPending, error, onCancel }: ActionFormProps) {
  const [until, setUntil] = useState('');
  const at = new Date(fieldTime(until));
  const blocked = Number.isNaN(at.getTime())
    ? 'Choose a date and a time.'
    : // oxlint-disable-next-line react-hooks/purity -- what is asked is whether it is in the future now
      at <= new Date()
      ? 'Must be in the future.'
      : undefined;
  const save = () => onAct({ type: 'snooze', rule: 'time', until: at.toISOString() });
  return (
    <FormBody
      what={FAILED}
      submit="Snooze"
      save={{ mutate: save, isPending, error }}
      blocked={blocked}
      onCancel={onCancel}
    >
      <TextInput
        label="Until"
        description={`${timeZone()} time.`}
        type="datetime-local"
        required
        data-autofocus
        value={until}
        onChange={onText(setUntil)}
      />
    </FormBody>
  );
}
