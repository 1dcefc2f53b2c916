/**
 * A report for readers with a share link or a report bundle: without a top bar and actions, with
 * the expiry of the link.
 */
import type { ReactNode } from 'react';
import type { ReportBundle } from '../../../api';
import { PageHeader, Timestamp, useTitle } from '../../../ui';
import { ReportBody } from './ReportBody';
import classes from './reports.module.css';
import type { SnapshotViewProps, RecordedReport } from './report-types';

type SharedProps = {
  recording: ReportBundle<RecordedReport>;
  page: (view: SnapshotViewProps) => ReactNode;
  /** How the report is shown; only a link has an expiry. */
  kind: 'link' | 'file' | 'preview';
  aside?: ReactNode;
};

export function SharedReport({ recording, page, kind, aside }: SharedProps) {
  const { report, answersOf } = recording;
  useTitle(report.title);
  return (
    <main className={classes.shared}>
      <PageHeader
        above={
          <p className={classes.sharedLine}>
            <span>
              {kind === 'preview' ? 'Preview of the shared report' : `Shared by ${report.team}`}
            </span>
            {kind === 'link' && (
              <span className="muted">
                {report.expires_at ? (
                  <>
                    expires <Timestamp at={report.expires_at} exact />
                  </>
                ) : (
                  'does not expire'
                )}
              </span>
            )}
            {report.version !== null && <span className="muted">version {report.version}</span>}
            <span className="grow" />
            {aside}
          </p>
        }
        title={report.title}
        sub={
          <>
            {report.created_by !== null && `${report.created_by} · `}
            <Timestamp at={report.published_at ?? report.updated_at} exact /> · interactive
            snapshots of Slowpath pages
          </>
        }
      />
      <ReportBody
        blocks={report.blocks}
        page={({ id, path, captured_at: at }) => page({ path, at, answers: answersOf(id) })}
      />
    </main>
  );
}
