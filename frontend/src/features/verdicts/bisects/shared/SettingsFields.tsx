/** The fields of settings of a bisect, both when it is started and when it is changed. */
import { Checkbox, NumberInput, TextInput } from '@mantine/core';
import { isTimeZone, timeZone } from '../../../../lib/times';
import type { BisectSettingsUpdate } from '../../../../api';
import { LabelsField } from './LabelsField';
import classes from './bisects.module.css';
import { DAYS, MAX_DEPLOYMENTS, DEFAULT_SETTINGS } from './bisect-settings';

type Props = { value: BisectSettingsUpdate; onChange: (value: BisectSettingsUpdate) => void };
/** The values that apply to empty fields. */
type FieldsProps = Props & { otherwise?: BisectSettingsUpdate };

export function SettingsFields({ value, onChange, otherwise = DEFAULT_SETTINGS }: FieldsProps) {
  const number = (given: string | number): number | null => (given === '' ? null : Number(given));
  const field = (
    name:
      | 'slots'
      | 'max_measurements_per_probe'
      | 'measurement_seconds'
      | 'warm_up_seconds'
      | 'deployment_seconds',
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
      onChange={(given) => onChange({ ...value, [name]: number(given) ?? undefined })}
    />
  );
  return (
    <>
      <div className={classes.fields}>
        <NumberInput
          label="Stop at probability, %"
          min={50}
          max={99.9}
          decimalScale={1}
          w={150}
          placeholder={percent(otherwise.stop_probability)}
          value={percent(value.stop_probability)}
          onChange={(given) => {
            onChange({
              ...value,
              stop_probability: given === '' ? undefined : Number(given) / 100,
            });
          }}
        />
        <NumberInput
          label="Maximum deployments"
          placeholder="4 × expected"
          min={1}
          max={MAX_DEPLOYMENTS}
          allowDecimal={false}
          w={150}
          value={value.max_deployments ?? ''}
          onChange={(given) => onChange({ ...value, max_deployments: number(given) })}
        />
        {field('slots', 'Parallel deployments', 1, 64)}
        {field('max_measurements_per_probe', 'Maximum measurements per deployment', 1, 20)}
        {field('measurement_seconds', 'Measurement window, seconds', 0, 86_400)}
        {field('warm_up_seconds', 'Warm-up, seconds', 0, 86_400)}
        {field('deployment_seconds', 'Deployment timeout, seconds', 1, 86_400)}
      </div>
      <Checkbox
        label="Deploy the good build as a control in every round"
        checked={value.control ?? false}
        onChange={(event) => {
          const control = event.currentTarget.checked;
          // The control stays deployed while others are measured, so it needs a separate slot.
          const slots = control ? Math.max(value.slots ?? otherwise.slots ?? 1, 2) : value.slots;
          onChange({ ...value, control, slots });
        }}
      />
      <Checkbox
        label="Require approval for each round"
        checked={value.needs_approval ?? false}
        onChange={(event) => onChange({ ...value, needs_approval: event.currentTarget.checked })}
      />
      <LabelsField
        value={value.runner_labels ?? {}}
        onChange={(runner_labels) => onChange({ ...value, runner_labels })}
      />
      <Hours value={value} onChange={(next) => onChange({ ...value, ...next })} />
      <Guard value={value} onChange={onChange} />
    </>
  );
}

const percent = (share: number | null | undefined): string =>
  share == null ? '' : String(Math.round(share * 1000) / 10);

type HoursProps = {
  value: Pick<BisectSettingsUpdate, 'deployment_hours'>;
  onChange: (value: Pick<BisectSettingsUpdate, 'deployment_hours'>) => void;
};

export function Hours({ value, onChange }: HoursProps) {
  const { deployment_hours: hours } = value;
  return (
    <>
      <Checkbox
        label="Restrict deployment hours"
        checked={hours != null}
        onChange={(event) => {
          onChange({
            ...value,
            deployment_hours: event.currentTarget.checked
              ? {
                  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
                  from: '09:00',
                  to: '17:00',
                  zone: timeZone(),
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
              if (days.length > 0)
                onChange({ ...value, deployment_hours: { ...hours, days: days } });
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
              onChange({
                ...value,
                deployment_hours: { ...hours, from: event.currentTarget.value },
              });
            }}
          />
          <TextInput
            label="To"
            type="time"
            value={hours.to}
            onChange={(event) =>
              onChange({ ...value, deployment_hours: { ...hours, to: event.currentTarget.value } })
            }
          />
          <TextInput
            label="Time zone"
            error={isTimeZone(hours.zone ?? 'UTC') ? undefined : 'unknown time zone'}
            value={hours.zone ?? 'UTC'}
            onChange={(event) => {
              onChange({
                ...value,
                deployment_hours: { ...hours, zone: event.currentTarget.value },
              });
            }}
          />
        </div>
      )}
    </>
  );
}

function Guard({ value, onChange }: Props) {
  const guard = value.guardrail ?? {};
  const change = (changed: typeof guard) => {
    const next = { ...guard, ...changed };
    onChange({
      ...value,
      guardrail: next.error_rate == null && next.p99_ns == null ? null : next,
    });
  };
  return (
    <div className={classes.fields}>
      <NumberInput
        label="Stop when error rate exceeds, %"
        placeholder="No guardrail"
        min={0.01}
        max={100}
        w={190}
        value={guard.error_rate == null ? '' : Math.round(guard.error_rate * 10_000) / 100}
        onChange={(given) => change({ error_rate: given === '' ? null : Number(given) / 100 })}
      />
      <NumberInput
        label="Stop when p99 exceeds, ms"
        placeholder="No guardrail"
        min={0.001}
        w={190}
        value={guard.p99_ns == null ? '' : guard.p99_ns / 1e6}
        onChange={(given) => change({ p99_ns: given === '' ? null : Number(given) * 1e6 })}
      />
    </div>
  );
}
