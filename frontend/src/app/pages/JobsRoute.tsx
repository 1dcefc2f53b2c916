import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Job } from '../../api';
import { JobsTable } from '../../features/platform/jobs';
import { PageHeader, Section, useTitle } from '../../ui';
import { Link } from '../Link';
import type { SettingsTab } from '../settings-tabs';

const teamRoute = getRouteApi('/t/$team');

/** What is looked after in the settings. */
const IN_SETTINGS: Record<string, [words: string, tab: SettingsTab]> = {
  metric_source: ['a source', 'metrics'],
  repository: ['a repository', 'integrations'],
  message: ['a notification', 'notifications'],
};

/** Subjects without a page, or without one that their id determines. */
const JOB_GROUP_LABELS: Record<string, string> = {
  export: 'an export',
  upload: 'an upload',
  trace_cut: 'a trace',
  explanation: 'a gap',
  commit: 'a commit',
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
  if (!place) return JOB_GROUP_LABELS[kind] ?? kind;
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
