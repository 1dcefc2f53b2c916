/** Texts of experiments, except those the server formats. */
import type { Experiment, VariantEffect } from '../../../../api';
import type { Glyph } from '../../../../ui';

export const EXPERIMENT_STATES: Record<Experiment['state'], [Glyph, string]> = {
  running: ['running', 'being measured'],
  paused: ['unsure', 'paused'],
  measured: ['done', 'measured'],
  cancelled: ['ended', 'cancelled'],
  failed: ['failed', 'failed'],
};

/** Variants that need no typing; the revert is offered only with a culprit. */
export const PRESETS: { text: string; label: string }[] = [
  { text: 'revert', label: 'Revert of the culprit alone' },
  { text: 'GOGC=50', label: 'GOGC=50, half of the default' },
  { text: 'GOGC=200', label: 'GOGC=200, twice the default' },
  { text: 'GOGC=400', label: 'GOGC=400, four times the default' },
  { text: 'pgo=off', label: 'Without profile-guided optimization' },
];

/** The name of the build before the culprit in results. */
export const PARENT = 'parent';

export const variantText = (variant: string, parent: string | null): string =>
  variant === PARENT ? (parent ?? 'Build before the culprit') : variant;

/** Formats a share with two significant digits: "−22%", "+1.4%". */
export function percentText(share: number): string {
  const size = 100 * Math.abs(share);
  const digits = size >= 10 ? 0 : 1;
  return `${share < 0 ? '−' : '+'}${size.toFixed(digits)}%`;
}

/**
 * Returns the interval of an effect; if the verdict is no effect, also the minimum detectable
 * effect.
 */
export function effectDetail({ verdict, effect, low, high, detectable }: VariantEffect): string {
  if (effect === null || low === null || high === null) return '';
  const interval = `95% interval ${percentText(low)} to ${percentText(high)}`;
  return verdict === 'no effect'
    ? `${percentText(effect)}, ${interval}; ${percentText(detectable ?? 0).slice(1)} would have been seen`
    : interval;
}

const wholeText = (share: number): string => `${Math.round(100 * share)}%`;

/** Formats the removed share of the increase: "79%". */
export const removesText = ({ removes }: VariantEffect): string =>
  removes ? wholeText(removes.share) : '–';

/** Formats the interval of the removed share. */
export const removesDetail = ({ removes }: VariantEffect): string =>
  removes ? `95% interval ${wholeText(removes.low)} to ${wholeText(removes.high)}` : '';
