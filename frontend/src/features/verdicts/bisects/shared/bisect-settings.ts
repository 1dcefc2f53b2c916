/** The settings of a bisect, as forms use them. */
import type { Bisect, BisectSettingsUpdate } from '../../../../api';
import { isTimeZone } from '../../../../lib/times';

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** The maximum that the limit of deployments may have. */
export const MAX_DEPLOYMENTS = 1000;

/** The defaults of the server. */
export const DEFAULT_SETTINGS: BisectSettingsUpdate = {
  stop_probability: 0.95,
  slots: 1,
  max_deployments: null,
  control: false,
  max_measurements_per_probe: 4,
  measurement_seconds: 30,
  warm_up_seconds: 10,
  deployment_seconds: 1800,
  needs_approval: false,
  deployment_hours: null,
  guardrail: null,
  runner_labels: {},
};

/** Returns the settings of a bisect that can be changed while it runs. */
export function editableSettings({ settings }: Bisect): BisectSettingsUpdate {
  const names = Object.keys(DEFAULT_SETTINGS) as (keyof BisectSettingsUpdate)[];
  return Object.fromEntries(names.map((name) => [name, settings[name] ?? DEFAULT_SETTINGS[name]]));
}

/** Returns why settings cannot be sent, or undefined. */
export const validateSettings = ({
  deployment_hours: hours,
}: BisectSettingsUpdate): string | undefined =>
  hours && !isTimeZone(hours.zone ?? 'UTC') ? 'Unknown time zone' : undefined;

/**
 * Returns only the changed settings, without empty ones: concurrent changes of two users do not
 * overwrite each other.
 */
export function changed(
  before: BisectSettingsUpdate,
  after: BisectSettingsUpdate,
): BisectSettingsUpdate {
  const names = Object.keys(after) as (keyof BisectSettingsUpdate)[];
  return Object.fromEntries(
    names
      .filter((name) => after[name] !== undefined)
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, after[name]]),
  );
}
