import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Job } from '../../api';
import { JobsTable } from '../../features/platform/jobs';
import { PageHeader, Section, useTitle } from '../../ui';
import { Link } from '../Link';
import type { SettingsTab } from '../settings-tabs';

const teamRoute = getRouteApi('/t/$team');

/** Subjects that are managed in the settings. */
const IN_SETTINGS: Record<string, [words: string, tab: SettingsTab]> = {
  metric_source: ['a source', 'metrics'],
  repository: ['a repository', 'integrations'],
  notification: ['a notification', 'notifications'],
};

/** Subjects that have no page. */
const WITHOUT_PAGE: Record<string, string> = {
  assembly: 'an assembly',
  'bisect-preflight': 'a bisect',
  commit: 'a commit',
  'example-data': 'example data',
  explanation: 'a gap',
  export: 'an export',
  linked_issue: 'an issue',
  profile_export: 'an export',
  trace_excerpt: 'a part of a trace',
  upload: 'an upload',
};

function subjectOf({ subject: { kind, id, name } }: Job, team: string): ReactNode {
  const known = { className: 'link' };
  switch (kind) {
    case 'artifact':
      return (
        <Link {...known} to="/t/$team/artifacts/$artifactId" params={{ team, artifactId: id }}>
          {name ?? 'an artifact'}
        </Link>
      );
    case 'comparison':
      return (
        <Link
          {...known}
          to="/t/$team/comparisons/$comparisonId"
          params={{ team, comparisonId: id }}
        >
          {name ?? 'a comparison'}
        </Link>
      );
    case 'bisect':
      return (
        <Link {...known} to="/t/$team/bisects/$bisectId" params={{ team, bisectId: id }}>
          {name ?? 'a bisect'}
        </Link>
      );
    case 'profile_set':
      return (
        <Link {...known} to="/t/$team/profile-sets/$setId" params={{ team, setId: id }} search={{}}>
          {name ?? 'profiles'}
        </Link>
      );
    case 'report':
      return (
        <Link
          {...known}
          to="/t/$team/reports/$reportId"
          params={{ team, reportId: id }}
          search={{}}
        >
          {name ?? 'a report'}
        </Link>
      );
    case 'service':
      return (
        <Link {...known} to="/t/$team/services/$serviceId" params={{ team, serviceId: id }}>
          {name ?? 'a service'}
        </Link>
      );
  }
  const place = IN_SETTINGS[kind];
  if (!place) return name ?? WITHOUT_PAGE[kind] ?? kind;
  return (
    <Link {...known} to="/t/$team/settings" params={{ team }} search={{ tab: place[1] }}>
      {name ?? place[0]}
    </Link>
  );
}

export function JobsRoute() {
  useTitle('Jobs');
  const { team } = teamRoute.useRouteContext();
  return (
    <>
      <PageHeader
        title="Jobs"
        sub="Background work. A failed job shows its error and can be retried."
      />
      <Section>
        <JobsTable link={(job) => subjectOf(job, team.slug)} mayAct={team.role !== 'viewer'} />
      </Section>
    </>
  );
}
