/** Texts of channels and notifications. */
import type { Channel, ChannelMessage } from '../../../api';
import { countOf, type Glyph } from '../../../ui';

export type Kind = Channel['kind'];
export type NotificationEvent = Exclude<Channel['events'][number], 'channel.test'>;

export const KINDS: Record<Kind, string> = {
  slack: 'Slack',
  'slack-app': 'Slack app',
  email: 'e-mail',
  webhook: 'webhook',
  github: 'GitHub',
  gitlab: 'GitLab',
  pagerduty: 'PagerDuty',
  opsgenie: 'Opsgenie',
  teams: 'Microsoft Teams',
  grafana: 'Grafana',
};

export const EVENTS: { value: NotificationEvent; label: string }[] = [
  { value: 'production-event.opened', label: 'Production got slower' },
  { value: 'production-event.updated', label: 'Production event changed' },
  { value: 'production-event.closed', label: 'Production event closed' },
  { value: 'production-event.slow-deployment', label: 'Slow deployment without a change point' },
  { value: 'production-event.load', label: 'Load changed' },
  { value: 'production-event.gauge', label: 'Gauge rose' },
  { value: 'regression.opened', label: 'Regression confirmed' },
  { value: 'regression.updated', label: 'Regression state changed' },
  { value: 'build.evaluated', label: 'Build evaluated' },
  { value: 'pull-request.measured', label: 'Pull request measured' },
  { value: 'bisect.finished', label: 'Bisect finished' },
];

const PERSONAL_EVENTS: NotificationEvent[] = [
  'production-event.opened',
  'production-event.closed',
  'regression.opened',
  'bisect.finished',
];
/** Events of incidents, which start and end: the only ones that an alert service can show. */
const INCIDENT_EVENTS: NotificationEvent[] = [
  'production-event.opened',
  'production-event.updated',
  'production-event.closed',
  'regression.opened',
  'regression.updated',
];

const PRODUCTION_EVENTS = INCIDENT_EVENTS.filter((event) => event.startsWith('production-event'));

/** Production events that are rarely urgent: a channel gets them only if they are selected. */
const OPTIONAL_EVENTS: NotificationEvent[] = [
  'production-event.slow-deployment',
  'production-event.load',
  'production-event.gauge',
];

/**
 * The events that are selected by default for each kind: few for people, all builds for code hosts.
 */
export const DEFAULT_EVENTS: Record<Kind, NotificationEvent[]> = {
  slack: PERSONAL_EVENTS,
  'slack-app': [...INCIDENT_EVENTS, 'bisect.finished'],
  email: PERSONAL_EVENTS,
  teams: PERSONAL_EVENTS,
  webhook: EVENTS.map(({ value }) => value).filter((value) => !OPTIONAL_EVENTS.includes(value)),
  github: ['build.evaluated', 'pull-request.measured'],
  gitlab: ['build.evaluated', 'pull-request.measured'],
  pagerduty: INCIDENT_EVENTS,
  opsgenie: INCIDENT_EVENTS,
  grafana: PRODUCTION_EVENTS,
};

/** Returns whether a kind shows only its default events and the optional production events. */
const isLimited = (kind: Kind): boolean =>
  kind === 'pagerduty' || kind === 'opsgenie' || kind === 'grafana';

/** Returns the events that a kind can show. */
export const eventsOf = (kind: Kind): typeof EVENTS =>
  isLimited(kind)
    ? EVENTS.filter(({ value }) => [...DEFAULT_EVENTS[kind], ...OPTIONAL_EVENTS].includes(value))
    : EVENTS;

/** With these events, a code host closes the issue of an incident that has ended. */
export const ISSUE_EVENTS: NotificationEvent[] = ['production-event.closed', 'regression.updated'];

/**
 * Returns whether a kind is a code host, which shows the verdict of a build at its commit and can
 * close issues.
 */
export const isCodeHost = (kind: Kind): boolean => kind === 'github' || kind === 'gitlab';

/** Returns the events of a channel, without the test event, which cannot be selected. */
export const notificationEvents = ({ events }: Channel): NotificationEvent[] =>
  EVENTS.map(({ value }) => value).filter((value) => events.includes(value));

/** Returns the destination of a channel, without its secret parts. */
export const endText = ({ target }: Channel): string =>
  target.to?.join(', ') ??
  target.conversation ??
  target.host ??
  target.url ??
  target.repository ??
  '';

export function eventsText(channel: Channel): string {
  return EVENTS.filter(({ value }) => channel.events.includes(value))
    .map(({ label }) => label)
    .join(', ');
}

export const servicesText = ({ service_ids }: Channel): string =>
  service_ids === null ? 'all services' : countOf(service_ids.length, 'service');

export const CHANNEL_STATES: Record<Channel['state'], [Glyph, string]> = {
  on: ['done', 'on'],
  off: ['ended', 'off'],
  'disabled-after-failures': ['failed', 'dead'],
};

export const NOTIFICATION_STATES: Record<ChannelMessage['state'], [Glyph, string]> = {
  waiting: ['waiting', 'Pending'],
  sent: ['done', 'arrived'],
  abandoned: ['failed', 'Failed'],
};
