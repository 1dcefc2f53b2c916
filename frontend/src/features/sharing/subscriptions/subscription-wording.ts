/** Texts of subscriptions and mail schedules. */
import type { MailScheduleIn, OwnSubscription } from '../../../api';
import { EVENTS } from '../notifications';

export type Severity = OwnSubscription['min_severity'];
export type Frequency = MailScheduleIn['frequency'];

export const SEVERITIES: { value: Severity; label: string }[] = [
  { value: 'low', label: 'Low and higher' },
  { value: 'medium', label: 'Medium and high' },
  { value: 'high', label: 'High only' },
];

export const FREQUENCIES: { value: Frequency; label: string }[] = [
  { value: 'immediate', label: 'One mail per event, at once' },
  { value: 'daily', label: 'One mail per day' },
  { value: 'weekly', label: 'One mail per week' },
];

export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
].map((label, index) => ({ value: String(index), label }));

export const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}));

/** "Production got slower, Bisect finished; severity medium and high". */
export function includedText({
  events,
  min_severity,
}: Pick<OwnSubscription, 'events' | 'min_severity'>) {
  const named = EVENTS.filter(({ value }) => events.includes(value)).map(({ label }) => label);
  const severity = SEVERITIES.find(({ value }) => value === min_severity)?.label.toLowerCase();
  const limit = min_severity === 'low' ? '' : `; severity ${severity}`;
  return `${named.join(', ')}${limit}`;
}
