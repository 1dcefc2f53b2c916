/** Texts of experiments, except those the server formats. */
import type { Experiment, VariantEffect } from '../../../api';
import type { Glyph } from '../../../ui';

export const EXPERIMENT_STATES: Record<Experiment['state'], [Glyph, string]> = {
  running: ['running', 'being measured'],
  paused: ['unsure', 'paused'],
  measured: ['done', 'measured'],
  cancelled: ['ended', 'cancelled'],
  failed: ['failed', 'failed'],
};

/** What a variant can be without typing; the revert only with a culprit. */
export const PRESETS: { text: string; label: string }[] = [
  { text: 'revert', label: 'Revert of the culprit alone' },
  { text: 'GOGC=50', label: 'GOGC=50, half of the default' },
  { text: 'GOGC=200', label: 'GOGC=200, twice the default' },
  { text: 'GOGC=400', label: 'GOGC=400, four times the default' },
  { text: 'pgo=off', label: 'Without profile-guided optimization' },
];

/** The build before the culprit, as results name it. */
export const PARENT = 'parent';

export const variantText = (variant: string, parent: string | null): string =>
  variant === PARENT ? (parent ?? 'Build before the culprit') : variant;

/** "−22%", "+1.4%": two significant digits. */
export function percentText(share: number): string {
  const size = 100 * Math.abs(share);
  const digits = size >= 10 ? 0 : 1;
  return `${share < 0 ? '−' : '+'}${size.toFixed(digits)}%`;
}

/** "−22% (−24% to −20%)", or the size that would have been seen. */
export function effectText({ verdict, effect, low, high, detectable }: VariantEffect): string {
  if (verdict === 'not measured' || effect === null || low === null || high === null) return '–';
  if (verdict === 'no effect')
    return `no effect; ${percentText(detectable ?? 0).slice(1)} would have been seen`;
  return `${percentText(effect)} (${percentText(low)} to ${percentText(high)})`;
}

/** "79% (72% to 86%)" of the increase. */
export function removesText({ removes }: VariantEffect): string {
  if (!removes) return '–';
  const whole = (share: number) => `${Math.round(100 * share)}%`;
  return `${whole(removes.share)} (${whole(removes.low)} to ${whole(removes.high)})`;
}
