/**
 * Settings of when mails of subscriptions are sent: at once or as a digest, outside quiet hours.
 */
import { Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MailSchedule, MailScheduleIn } from '../../../api';
import { timeZone } from '../../../lib/times';
import { ErrorState, Section } from '../../../ui';
import classes from './subscriptions.module.css';
import { mailScheduleQuery, setMailSchedule } from './subscription-queries';
import { FREQUENCIES, HOURS, WEEKDAYS } from './subscription-wording';

const NIGHT = { quiet_from: '22:00', quiet_to: '07:00' };
const NO_QUIET = { quiet_from: null, quiet_to: null };

/** Returns the schedule without `is_stored`, which is not part of the request. */
function initialSchedule(stored: MailSchedule): MailScheduleIn {
  const schedule: MailScheduleIn & Partial<MailSchedule> = { ...stored, time_zone: timeZone() };
  delete schedule.is_stored;
  return schedule;
}

export function MailScheduleForm({ stored }: { stored: MailSchedule }) {
  const client = useQueryClient();
  const [schedule, setSchedule] = useState(() => initialSchedule(stored));
  const change = (part: Partial<MailScheduleIn>) => setSchedule({ ...schedule, ...part });
  const save = useMutation({
    mutationFn: () => setMailSchedule(schedule),
    onSuccess: (saved) => client.setQueryData(mailScheduleQuery.queryKey, saved),
  });
  const isDelayed = schedule.frequency !== 'immediate' || schedule.quiet_from != null;
  return (
    <Section title="When mails are sent" aside="of your subscriptions" narrow>
      <form
        className={classes.column}
        onChange={() => save.reset()}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Select
          label="Frequency"
          data={FREQUENCIES}
          allowDeselect={false}
          value={schedule.frequency}
          onChange={(next) => change({ frequency: next ?? 'immediate' })}
        />
        <DigestTime schedule={schedule} onChange={change} />
        <QuietHours schedule={schedule} onChange={change} />
        {isDelayed && (
          <Checkbox
            label="Send production events of high severity at once"
            checked={schedule.is_high_severity_immediate ?? true}
            onChange={(event) =>
              change({ is_high_severity_immediate: event.currentTarget.checked })
            }
          />
        )}
        {isDelayed && <p className="t2">Hours are in {schedule.time_zone}, your time zone.</p>}
        {save.error && <ErrorState compact what="Could not save it" error={save.error} />}
        {save.isSuccess && <p role="status">Saved. What is held back is sent at the new times.</p>}
        <Button type="submit" loading={save.isPending}>
          Save schedule
        </Button>
      </form>
    </Section>
  );
}

type PartProps = { schedule: MailScheduleIn; onChange: (part: Partial<MailScheduleIn>) => void };

function DigestTime({ schedule, onChange }: PartProps) {
  if (schedule.frequency === 'immediate') return null;
  return (
    <div className={classes.line}>
      {schedule.frequency === 'weekly' && (
        <Select
          label="Day"
          data={WEEKDAYS}
          allowDeselect={false}
          value={String(schedule.digest_weekday ?? 0)}
          onChange={(next) => onChange({ digest_weekday: Number(next ?? 0) })}
        />
      )}
      <Select
        label="Time"
        data={HOURS}
        allowDeselect={false}
        value={String(schedule.digest_hour ?? 9)}
        onChange={(next) => onChange({ digest_hour: Number(next ?? 9) })}
      />
    </div>
  );
}

function QuietHours({ schedule, onChange }: PartProps) {
  const isQuiet = schedule.quiet_from != null;
  return (
    <>
      <Checkbox
        label="Quiet hours: hold mails back, and send them together afterwards"
        checked={isQuiet}
        onChange={(event) => onChange(event.currentTarget.checked ? NIGHT : NO_QUIET)}
      />
      {isQuiet && (
        <div className={classes.line}>
          <TextInput
            type="time"
            label="From"
            required
            value={schedule.quiet_from ?? ''}
            onChange={(event) => onChange({ quiet_from: event.currentTarget.value })}
          />
          <TextInput
            type="time"
            label="To"
            required
            value={schedule.quiet_to ?? ''}
            onChange={(event) => onChange({ quiet_to: event.currentTarget.value })}
          />
        </div>
      )}
    </>
  );
}
