/** Texts of the activity feed by day. Consecutive uploads or deletions by one actor are merged. */
import type { Activity, ActivityKind } from '../../../api';
import { shortCommit } from '../../../lib/commits';
import { dayNumber, longDateText } from '../../../lib/times';
import { countOf } from '../../../ui';

export const KINDS: Record<ActivityKind, string> = {
  regression: 'regressions',
  comparison: 'comparisons',
  deployment: 'deployments',
  comment: 'comments',
  report: 'reports',
  bisect: 'bisects',
  artifact: 'artifacts',
  team: 'team',
};

/** Consecutive events with the same action of the same user; the newest one represents them. */
export type Line = { first: Activity; count: number };
type Day = { day: string; lines: Line[] };

const dayOf = (at: string): string => String(dayNumber(at));

const FOLDED = new Set(['artifact.received', 'artifact.deleted']);

/** Groups events, newest first, by days in the user's time zone. */
export function daysOf(news: Activity[]): Day[] {
  const days: Day[] = [];
  for (const one of news) {
    const day = dayOf(one.occurred_at);
    let last = days[days.length - 1];
    if (last?.day !== day) {
      last = { day, lines: [] };
      days.push(last);
    }
    const before = last.lines[last.lines.length - 1];
    if (
      before &&
      FOLDED.has(one.action) &&
      before.first.action === one.action &&
      before.first.actor.id === one.actor.id
    )
      before.count += 1;
    else last.lines.push({ first: one, count: 1 });
  }
  return days;
}

export function dayText(at: string, now: Date): string {
  const days = dayNumber(now) - dayNumber(at);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return longDateText(at);
}

export const actorText = ({ actor }: Activity): string =>
  actor.kind === 'system'
    ? 'Slowpath'
    : (actor.name ?? (actor.kind === 'token' ? 'a token' : 'former member'));

const VERBS: Record<string, [before: string, after?: string]> = {
  'regression.opened': ['confirmed'],
  'regression.updated': ['updated'],
  'regression.fixed': ['confirmed the fix of'],
  'regression.improved': ['detected an improvement beyond the old level:'],
  'regression.still': ['detected that it is still slower after a fix:'],
  'regression.reopened': ['reopened'],
  'regression.comparison': ['compared the builds around'],
  'regression.due': ['changed the due date of'],
  'regression.note': ['annotated'],
  'comparison.created': ['compared'],
  'comparison.deleted': ['deleted the comparison'],
  'deployment.observed': ['recorded the deployment'],
  'comment.created': ['commented on'],
  'report.created': ['created the report'],
  'report.published': ['published the report'],
  'report.deleted': ['deleted the report'],
  'bisect.created': ['started the bisect'],
  'bisect.deleted': ['deleted the bisect'],
  'artifact.received': ['uploaded'],
  'build.received': ['uploaded artifacts of the build'],
  'artifact.deleted': ['deleted'],
  'build.deleted': ['deleted the build'],
  'service.created': ['added the service'],
  'service.deleted': ['deleted the service'],
  'example-data.added': ['added example data'],
  'example-data.removed': ['removed the example data'],
  'repository.created': ['added the repository'],
  'repository.deleted': ['deleted the repository'],
  'member.added': ['added to the team:'],
  'member.joined': ['joined the team'],
  'member.left': ['left the team'],
  'member.removed': ['removed from the team:'],
  'member.role-changed': ['changed the role of a member'],
  'team.renamed': ['renamed the team'],
};

/** Returns the words before and after the name of an event's subject. */
export function verbOf({ action, details: facts }: Activity): [before: string, after?: string] {
  if (action === 'regression.state')
    return ['put', `to ${facts.to?.replaceAll('-', ' ') ?? 'another state'}`];
  if (action === 'regression.assignee') return facts.to ? ['assigned'] : ['unassigned'];
  if (action === 'bisect.finished')
    return ['finished the bisect', `(${facts.to?.replaceAll('-', ' ') ?? ''})`];
  if (action === 'team.renamed') return [`renamed the team to ${facts.to ?? ''}`];
  return VERBS[action] ?? [action.replace('.', ' ')];
}

/** Returns the name of an event's subject; '' if the verb is enough. */
export function subjectOf({ first, count }: Line): string {
  if (first.action === 'member.joined' || first.action === 'member.left') return '';
  if (first.action === 'team.renamed' || first.action === 'member.role-changed') return '';
  if (count > 1) return countOf(count, 'artifact');
  if (first.kind === 'deployment') {
    return shortCommit(first.title ?? '') || 'of an unknown build';
  }
  return first.title ?? first.subject_kind;
}

/** Returns the text of the event, if any. */
export const describeEvent = ({ details: facts }: Activity): string => facts.text ?? '';
