/** Settings of a search as the forms hold them. */
import type { Bisect, BisectSettingsChange } from '../../api';

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

/** As many deploys as a limit may allow. */
export const MOST_DEPLOYS = 1000;

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

/** Whether a time zone is called so. */
export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

/** Why settings can not be sent; nothing where they can. */
export const wrongSettings = ({ hours }: BisectSettingsChange): string | undefined =>
  hours && !isZone(hours.zone ?? 'UTC') ? 'There is no time zone of this name' : undefined;

/** Only what was changed is sent, and nothing of what was left empty: of two people who change things at once both are heard. */
export function changed(
  before: BisectSettingsChange,
  after: BisectSettingsChange,
): BisectSettingsChange {
  const names = Object.keys(after) as (keyof BisectSettingsChange)[];
  return Object.fromEntries(
    names
      .filter((name) => after[name] !== undefined)
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, after[name]]),
  );
}
