/** Routes of reports: the only pages that show other pages of the product inside them. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import {
  PreviewPage,
  ReportPage,
  Reports,
  SharedPage,
  type SnapshotViewProps,
  parseScrubOptions,
  scrubOf,
} from '../../features/sharing/reports';
import { Link } from '../Link';
import { PageDiscussion } from '../PageDiscussion';
import { SnapshotView } from '../snapshots/SnapshotView';

const teamRoute = getRouteApi('/t/$team');
const listRoute = getRouteApi('/t/$team/reports');
const reportRoute = getRouteApi('/t/$team/reports/$reportId');
const previewRoute = getRouteApi('/t/$team/reports/$reportId/preview');
const sharedRoute = getRouteApi('/s/$secret');

const frozen = (view: SnapshotViewProps) => <SnapshotView {...view} />;

export function ReportsRoute() {
  const { team } = teamRoute.useRouteContext();
  const search = listRoute.useSearch();
  const navigate = useNavigate();
  const link = useCallback(
    (reportId: string, words: React.ReactNode) => (
      <Link
        to="/t/$team/reports/$reportId"
        params={{ team: team.slug, reportId }}
        search={{}}
        onClick={(event) => event.stopPropagation()}
      >
        {words}
      </Link>
    ),
    [team.slug],
  );
  return (
    <Reports
      search={search}
      onSearch={(next) =>
        void navigate({
          to: '/t/$team/reports',
          params: { team: team.slug },
          search: next,
          replace: true,
        })
      }
      onOpen={(reportId) =>
        void navigate({
          to: '/t/$team/reports/$reportId',
          params: { team: team.slug, reportId },
          search: {},
        })
      }
      link={link}
      mayWrite={team.role !== 'viewer'}
    />
  );
}

export function ReportRoute() {
  const { team } = teamRoute.useRouteContext();
  const { reportId } = reportRoute.useParams();
  const { version } = reportRoute.useSearch();
  const navigate = useNavigate();
  const params = { team: team.slug, reportId };
  return (
    <ReportPage
      key={`${reportId} ${version ?? 'draft'}`}
      id={reportId}
      version={version}
      onVersion={(next) =>
        void navigate({ to: '/t/$team/reports/$reportId', params, search: { version: next } })
      }
      onGone={() =>
        void navigate({ to: '/t/$team/reports', params: { team: team.slug }, search: {} })
      }
      mayWrite={team.role !== 'viewer'}
      back={
        <Link to="/t/$team/reports" params={{ team: team.slug }} search={{}} className="muted">
          Reports
        </Link>
      }
      page={frozen}
      liveLink={(path, words) => (
        <a className="link" href={`/t/${team.slug}${path}`}>
          {words}
        </a>
      )}
      previewLink={(scrub, shown, words) => (
        <Link
          to="/t/$team/reports/$reportId/preview"
          params={params}
          search={{ version: shown, keep: parseScrubOptions(scrub) }}
          target="_blank"
          className="link"
        >
          {words}
        </Link>
      )}
      discussion={<PageDiscussion subject={{ kind: 'report', id: reportId }} />}
    />
  );
}

export function ReportPreviewRoute() {
  const { team } = teamRoute.useRouteContext();
  const { reportId } = previewRoute.useParams();
  const { version, keep } = previewRoute.useSearch();
  return (
    <PreviewPage
      reportId={reportId}
      scrub={scrubOf(keep)}
      version={version}
      page={frozen}
      back={
        <Link
          to="/t/$team/reports/$reportId"
          params={{ team: team.slug, reportId }}
          search={{}}
          className="link"
        >
          Back to the report
        </Link>
      }
    />
  );
}

export function SharedReportRoute() {
  const { secret } = sharedRoute.useParams();
  return <SharedPage secret={secret} page={frozen} />;
}
