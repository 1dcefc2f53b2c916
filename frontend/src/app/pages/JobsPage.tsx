import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Job } from '../../api';
import { JobsTable } from '../../features/work';
import { PageHead, Section, useTitle } from '../../ui';
import { Link } from '../Link';
import type { SettingsTab } from '../settings-tabs';

const teamRoute = getRouteApi('/t/$team');

/** What is looked after in the settings. */
const IN_SETTINGS: Record<string, [words: string, tab: SettingsTab]> = {
  metric_source: ['a source', 'metrics'],
  repository: ['a repository', 'integrations'],
  message: ['a message', 'notifications'],
  'team-export': ['an export', 'storage'],
};

/** What has no page of its own, or none that could be told from its id alone. */
const WORDS: Record<string, string> = {
  export: 'an export',
  upload: 'an upload',
  trace_cut: 'a trace',
  explanation: 'a gap',
  commit: 'a commit',
};

function subjectOf({ subject: { kind, id } }: Job, team: string): ReactNode {
  const known = { className: 'link' };
  switch (kind) {
    case 'artifact':
      return (
        <Link {...known} to="/t/$team/files/$artifactId" params={{ team, artifactId: id }}>
          a file
        </Link>
      );
    case 'comparison':
      return (
        <Link
          {...known}
          to="/t/$team/comparisons/$comparisonId"
          params={{ team, comparisonId: id }}
        >
          a comparison
        </Link>
      );
    case 'bisect':
      return (
        <Link {...known} to="/t/$team/bisects/$bisectId" params={{ team, bisectId: id }}>
          a bisect
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
          a report
        </Link>
      );
    case 'service':
      return (
        <Link {...known} to="/t/$team/services/$serviceId" params={{ team, serviceId: id }}>
          a service
        </Link>
      );
  }
  const place = IN_SETTINGS[kind];
  if (!place) return WORDS[kind] ?? kind;
  return (
    <Link {...known} to="/t/$team/settings" params={{ team }} search={{ tab: place[1] }}>
      {place[0]}
    </Link>
  );
}

export function JobsPage() {
  useTitle('Jobs');
  const { team } = teamRoute.useRouteContext();
  return (
    <>
      <PageHead
        title="Jobs"
        sub="What runs in the background. A failed job says why, and can be tried again."
      />
      <Section>
        <JobsTable link={(job) => subjectOf(job, team.slug)} mayAct={team.role !== 'viewer'} />
      </Section>
    </>
  );
}
