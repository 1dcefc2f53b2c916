/** Channels and messages in words. */
import type { Channel, ChannelMessage } from '../../api';
import { countOf, type Glyph } from '../../ui';

export type Kind = Channel['kind'];
export type ToldEvent =
  'regression.opened' | 'regression.changed' | 'build.judged' | 'bisect.ended';

export const KINDS: Record<Kind, string> = {
  slack: 'Slack',
  email: 'e-mail',
  webhook: 'webhook',
  github: 'GitHub',
  gitlab: 'GitLab',
};

export const EVENTS: { value: ToldEvent; label: string }[] = [
  { value: 'regression.opened', label: 'a regression is confirmed' },
  { value: 'regression.changed', label: 'its state changes' },
  { value: 'build.judged', label: 'a build is judged' },
  { value: 'bisect.ended', label: 'a bisect has ended' },
];

/** What is usual for a kind: one message a regression for people, a word on every build for code hosts. */
export const USUAL: Record<Kind, ToldEvent[]> = {
  slack: ['regression.opened', 'bisect.ended'],
  email: ['regression.opened', 'bisect.ended'],
  webhook: ['regression.opened', 'regression.changed', 'build.judged', 'bisect.ended'],
  github: ['build.judged'],
  gitlab: ['build.judged'],
};

/** They show what is said of a build beside its commit, and nothing else. */
export const isCodeHost = (kind: Kind): boolean => kind === 'github' || kind === 'gitlab';

/** What a channel is told of, without the trial, which is nothing to choose. */
export const toldEvents = ({ events }: Channel): ToldEvent[] =>
  EVENTS.map(({ value }) => value).filter((value) => events.includes(value));

/** Where a channel ends, as far as it may be shown. */
export function endText({ kind, target }: Channel): string {
  const text = (name: string) => (typeof target[name] === 'string' ? target[name] : '');
  if (kind === 'email') return Array.isArray(target.to) ? target.to.join(', ') : '';
  if (kind === 'slack') return text('host');
  return kind === 'webhook' ? text('url') : text('repository');
}

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
  dead: ['failed', 'dead'],
};

export const MESSAGE_STATES: Record<ChannelMessage['state'], [Glyph, string]> = {
  waiting: ['waiting', 'on its way'],
  sent: ['done', 'arrived'],
  'given-up': ['failed', 'given up'],
};
