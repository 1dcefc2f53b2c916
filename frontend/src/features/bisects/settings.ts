/** Settings of a search as the forms hold them. */
import type { Bisect, BisectSettingsChange } from '../../api';

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

/** As the server has them where nothing is said. */
export const USUAL: BisectSettingsChange = {
  belief: 0.95,
  slots: 1,
  max_deploys: null,
  control: false,
  most_windows: 4,
  window_seconds: 30,
  warm_up_seconds: 10,
  deploy_seconds: 1800,
  approval: false,
  hours: null,
  guard: null,
  runner_labels: {},
};

/** What of a bisect's settings may be changed while it goes on. */
export function changeable({ settings }: Bisect): BisectSettingsChange {
  const names = Object.keys(USUAL) as (keyof BisectSettingsChange)[];
  return Object.fromEntries(names.map((name) => [name, settings[name] ?? USUAL[name]]));
}

/** Only what was changed is sent: of two people who change things at once both are heard. */
export function changed(
  before: BisectSettingsChange,
  after: BisectSettingsChange,
): BisectSettingsChange {
  const names = Object.keys(after) as (keyof BisectSettingsChange)[];
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, after[name]]),
  );
}
