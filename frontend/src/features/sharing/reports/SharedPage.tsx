/** The page of a share link, for signed-out readers. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '../../../api';
import { ErrorState, PageHeader, SkeletonRows, useTitle } from '../../../ui';
import { SharedReport } from './SharedReport';
import { previewQuery, sharedExportAddress, sharedQuery } from './report-queries';
import classes from './reports.module.css';
import type { SnapshotViewProps, Scrub } from './report-types';

type SharedPageProps = {
  secret: string;
  page: (view: SnapshotViewProps) => ReactNode;
};

export function SharedPage({ secret, page }: SharedPageProps) {
  const shared = useQuery(sharedQuery(secret));
  if (shared.error) return <Ended error={shared.error} />;
  if (!shared.data) return <Reading />;
  return (
    <SharedReport
      recording={shared.data}
      page={page}
      kind="link"
      aside={
        <a className="link" href={sharedExportAddress(secret)} download>
          Download as one file
        </a>
      }
    />
  );
}

type PreviewPageProps = {
  reportId: string;
  scrub: Scrub;
  version?: number;
  page: SharedPageProps['page'];
  back: ReactNode;
};

/** The same page as a preview, before a share link is created. */
export function PreviewPage({ reportId, scrub, version, page, back }: PreviewPageProps) {
  const preview = useQuery(previewQuery(reportId, scrub, version));
  if (preview.error)
    return (
      <div className={classes.inset}>
        <ErrorState what="Could not create the preview" error={preview.error} action={back} />
      </div>
    );
  if (!preview.data) return <Reading />;
  return <SharedReport recording={preview.data} page={page} kind="preview" aside={back} />;
}

function Reading() {
  return (
    <div className={classes.inset}>
      <SkeletonRows rows={12} label="Loading the report" />
    </div>
  );
}

function Ended({ error }: { error: Error }) {
  const status = error instanceof Problem ? error.status : 0;
  const title =
    status === 410
      ? 'This link has expired or was revoked'
      : status === 404
        ? 'Link not found'
        : 'Could not load the report';
  useTitle(title);
  return (
    <main className={classes.shared}>
      <PageHeader
        title={title}
        sub={
          status === 410
            ? 'Ask the sender for a new link.'
            : status === 404
              ? 'Check that you copied the whole link.'
              : undefined
        }
      />
      {status !== 404 && status !== 410 && (
        <div className={classes.inset}>
          <ErrorState
            error={error}
            action={<Button onClick={() => window.location.reload()}>Try again</Button>}
          />
        </div>
      )}
    </main>
  );
}
