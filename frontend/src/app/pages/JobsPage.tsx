import { getRouteApi } from '@tanstack/react-router';
import { JobsTable } from '../../features/work';
import { PageHead, Section, useTitle } from '../../ui';
import { Link } from '../Link';

const teamRoute = getRouteApi('/t/$team');

export function JobsPage() {
  useTitle('Jobs');
  const { team } = teamRoute.useParams();
  return (
    <>
      <PageHead
        title="Jobs"
        sub="What runs in the background. A failed job says why, and can be tried again."
      />
      <Section>
        <JobsTable
          link={({ subject }) => {
            if (subject.kind === 'artifact') {
              return (
                <Link
                  className="link"
                  to="/t/$team/files/$artifactId"
                  params={{ team, artifactId: subject.id }}
                >
                  a file
                </Link>
              );
            }
            if (subject.kind === 'comparison') {
              return (
                <Link
                  className="link"
                  to="/t/$team/comparisons/$comparisonId"
                  params={{ team, comparisonId: subject.id }}
                >
                  a comparison
                </Link>
              );
            }
            if (subject.kind === 'metric_source') {
              return (
                <Link
                  className="link"
                  to="/t/$team/settings"
                  params={{ team }}
                  search={{ tab: 'metrics' }}
                >
                  a source
                </Link>
              );
            }
            return subject.kind;
          }}
        />
      </Section>
    </>
  );
}
