/** A report for whoever holds a link, or the file: no top bar, no actions, and an expiry line in the head. */
import type { ReactNode } from 'react';
import type { Recording } from '../../api';
import { PageHead, Time, useTitle } from '../../ui';
import { ReportBody } from './ReportBody';
import classes from './reports.module.css';
import type { FrozenViewProps, RecordedReport } from './types';

type SharedProps = {
  recording: Recording<RecordedReport>;
  page: (view: FrozenViewProps) => ReactNode;
  /** How it came here, after "Shared by TEAM". */
  kind: 'link' | 'file' | 'preview';
  aside?: ReactNode;
};

export function SharedReport({ recording, page, kind, aside }: SharedProps) {
  const { report, answersOf } = recording;
  useTitle(report.title);
  return (
    <main className={classes.shared}>
      <PageHead
        above={
          <p className={classes.sharedLine}>
            <span>{kind === 'preview' ? 'As others will see it' : `Shared by ${report.team}`}</span>
            {kind === 'link' && (
              <span className="muted">
                {report.expires_at ? (
                  <>
                    expires <Time at={report.expires_at} exact />
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
            <Time at={report.published_at ?? report.changed_at} exact /> · frozen pages of Slowpath:
            they can be looked into, and never change
          </>
        }
      />
      <ReportBody
        blocks={report.blocks}
        page={({ id, path, frozen_at: at }) => page({ path, at, answers: answersOf(id) })}
      />
    </main>
  );
}
