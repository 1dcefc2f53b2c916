/** How sure, how many, how long: the same fields where a bisect is started and where it is changed. */
import { Checkbox, NumberInput, TextInput } from '@mantine/core';
import type { BisectSettingsChange } from '../../api';
import { LabelsField } from './LabelsField';
import classes from './bisects.module.css';
import { DAYS, MOST_DEPLOYS, USUAL, isZone } from './settings';

type Props = { value: BisectSettingsChange; onChange: (value: BisectSettingsChange) => void };
/** What holds where a field is left empty. */
type FieldsProps = Props & { otherwise?: BisectSettingsChange };

export function SettingsFields({ value, onChange, otherwise = USUAL }: FieldsProps) {
  const number = (given: string | number): number | null => (given === '' ? null : Number(given));
  const field = (
    name: 'slots' | 'most_windows' | 'window_seconds' | 'warm_up_seconds' | 'deploy_seconds',
    label: string,
    min: number,
    max: number,
  ) => (
    <NumberInput
      label={label}
      min={min}
      max={max}
      allowDecimal={name.endsWith('_seconds')}
      w={150}
      placeholder={String(otherwise[name] ?? '')}
      value={value[name] ?? ''}
      onChange={(given) => {
        onChange({ ...value, [name]: number(given) ?? undefined });
      }}
    />
  );
  return (
    <>
      <div className={classes.fields}>
        <NumberInput
          label="Belief to stop at, %"
          min={50}
          max={99.9}
          decimalScale={1}
          w={150}
          placeholder={percent(otherwise.belief)}
          value={percent(value.belief)}
          onChange={(given) => {
            onChange({ ...value, belief: given === '' ? undefined : Number(given) / 100 });
          }}
        />
        <NumberInput
          label="Deploys at most"
          placeholder="4 × expected"
          min={1}
          max={MOST_DEPLOYS}
          allowDecimal={false}
          w={150}
          value={value.max_deploys ?? ''}
          onChange={(given) => {
            onChange({ ...value, max_deploys: number(given) });
          }}
        />
        {field('slots', 'At the same time', 1, 64)}
        {field('most_windows', 'Windows of a deploy', 1, 20)}
        {field('window_seconds', 'Seconds of a window', 0, 86_400)}
        {field('warm_up_seconds', 'Seconds to warm up', 0, 86_400)}
        {field('deploy_seconds', 'Seconds to deploy, at most', 1, 86_400)}
      </div>
      <Checkbox
        label="A control of the good build beside every round"
        checked={value.control ?? false}
        onChange={(event) => {
          const control = event.currentTarget.checked;
          // It stays deployed beside what is measured: it needs a slot of its own.
          const slots = control ? Math.max(value.slots ?? otherwise.slots ?? 1, 2) : value.slots;
          onChange({ ...value, control, slots });
        }}
      />
      <Checkbox
        label="A person approves each round"
        checked={value.approval ?? false}
        onChange={(event) => {
          onChange({ ...value, approval: event.currentTarget.checked });
        }}
      />
      <LabelsField
        value={value.runner_labels ?? {}}
        onChange={(runner_labels) => {
          onChange({ ...value, runner_labels });
        }}
      />
      <Hours value={value} onChange={onChange} />
      <Guard value={value} onChange={onChange} />
    </>
  );
}

const percent = (share: number | null | undefined): string =>
  share == null ? '' : String(Math.round(share * 1000) / 10);

function Hours({ value, onChange }: Props) {
  const { hours } = value;
  return (
    <>
      <Checkbox
        label="Deploys only at certain hours"
        checked={hours != null}
        onChange={(event) => {
          onChange({
            ...value,
            hours: event.currentTarget.checked
              ? {
                  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
                  from: '09:00',
                  to: '17:00',
                  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
                }
              : null,
          });
        }}
      />
      {hours && (
        <div className={classes.fields}>
          <Checkbox.Group
            label="On"
            value={hours.days}
            onChange={(days) => {
              if (days.length > 0) onChange({ ...value, hours: { ...hours, days: days } });
            }}
          >
            <div className={classes.fields}>
              {DAYS.map((day) => (
                <Checkbox key={day} value={day} label={day} />
              ))}
            </div>
          </Checkbox.Group>
          <TextInput
            label="From"
            type="time"
            value={hours.from}
            onChange={(event) => {
              onChange({ ...value, hours: { ...hours, from: event.currentTarget.value } });
            }}
          />
          <TextInput
            label="To"
            type="time"
            value={hours.to}
            onChange={(event) => {
              onChange({ ...value, hours: { ...hours, to: event.currentTarget.value } });
            }}
          />
          <TextInput
            label="By the clocks of"
            error={isZone(hours.zone ?? 'UTC') ? undefined : 'no such time zone'}
            value={hours.zone ?? 'UTC'}
            onChange={(event) => {
              onChange({ ...value, hours: { ...hours, zone: event.currentTarget.value } });
            }}
          />
        </div>
      )}
    </>
  );
}

function Guard({ value, onChange }: Props) {
  const guard = value.guard ?? {};
  const change = (said: typeof guard) => {
    const next = { ...guard, ...said };
    onChange({
      ...value,
      guard: next.error_rate == null && next.p99_ns == null ? null : next,
    });
  };
  return (
    <div className={classes.fields}>
      <NumberInput
        label="Stop when errors pass, %"
        placeholder="no guard"
        min={0.01}
        max={100}
        w={190}
        value={guard.error_rate == null ? '' : Math.round(guard.error_rate * 10_000) / 100}
        onChange={(given) => {
          change({ error_rate: given === '' ? null : Number(given) / 100 });
        }}
      />
      <NumberInput
        label="Stop when p99 passes, ms"
        placeholder="no guard"
        min={0.001}
        w={190}
        value={guard.p99_ns == null ? '' : guard.p99_ns / 1e6}
        onChange={(given) => {
          change({ p99_ns: given === '' ? null : Number(given) * 1e6 });
        }}
      />
    </div>
  );
}
