/** The result of a deployment check in words. Its numbers are read leniently: a check of another form shows its sentence, or nothing. */
import { stepDigits } from '../../../engine/dashboard/dashboard-wording';

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** "p99 takes 3.1 times as long (2.8 to 3.4), concurrent instances" */
export function describeDeploymentCheck(check: Record<string, unknown> | null): string | null {
  if (!check) return null;
  const sentence = textOf(check.sentence);
  if (sentence) return sentence;
  const ratio = numberOf(check.ratio);
  if (ratio === null) return textOf(check.why);
  const [low, high] = [
    numberOf(check.low ?? check.ratio_low),
    numberOf(check.high ?? check.ratio_high),
  ];
  const range = low !== null && high !== null ? ` (${stepDigits(low)} to ${stepDigits(high)})` : '';
  return `${textOf(check.signal) ?? 'p99'} takes ${stepDigits(ratio)} times as long${range}`;
}
