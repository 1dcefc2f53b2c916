/** The page of one report: its draft can be edited, its versions can be read. */
import { SegmentedControl, Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { makeConnectionLostError, type Report } from '../../../api';
import {
  ErrorState,
  PageHeader,
  SkeletonRows,
  Timestamp,
  Toolbar,
  countOf,
  useTitle,
} from '../../../ui';
import { ReportBody } from './ReportBody';
import { ReportEditor } from './ReportEditor';
import { ReportActions, ReportDialog, type OpenDialog } from './ReportActions';
import { findUnsavedText } from './unsaved-text';
import { publishReport, reportBundleQuery, reportQuery, versionsQuery } from './report-queries';
import classes from './reports.module.css';
import type { SnapshotViewProps, Scrub, ViewBlock } from './report-types';

type ReportPageProps = {
  id: string;
  /** Undefined for the draft. */
  version?: number;
  onVersion: (version?: number) => void;
  onGone: () => void;
  mayWrite: boolean;
  back: ReactNode;
  page: (view: SnapshotViewProps) => ReactNode;
  /** Renders a link to the page of a snapshot with current data. */
  liveLink: (path: string, words: string) => ReactNode;
  previewLink: (scrub: Scrub, version: number | undefined, words: string) => ReactNode;
  /** The discussion of the report. */
  discussion?: ReactNode;
};

export default function ReportPage(props: ReportPageProps) {
  const { id, version, back } = props;
  const report = useQuery(reportQuery(id, version));
  useTitle(report.data?.title ?? 'Report');
  const failed = makeConnectionLostError(report);
  if (failed)
    return (
      <>
        <PageHeader above={back} title="Could not load the report" />
        <div className={classes.inset}>
          <ErrorState error={failed} />
        </div>
      </>
    );
  if (!report.data)
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={8} label="Loading the report" />
      </div>
    );
  return <Shown {...props} report={report.data} />;
}

function Shown(props: ReportPageProps & { report: Report }) {
  const { report, version, back, mayWrite, page, liveLink, discussion } = props;
  const [editing, setEditing] = useState(
    report.blocks.length === 0 || report.version === 0 || findUnsavedText(report.id) !== null,
  );
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const client = useQueryClient();
  const recording = useQuery({
    ...reportBundleQuery(report, version),
    placeholderData: (before) => before,
  });
  const publish = useMutation({
    mutationFn: () => publishReport(report.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['report'] }),
  });
  const draft = version === undefined;
  const mayEdit = mayWrite && draft;
  const frozen = ({ id, path, captured_at: at }: ViewBlock) => {
    if (recording.error)
      return <ErrorState what="Could not load the report bundle" error={recording.error} />;
    const answers = recording.data?.answersOf(id);
    if (!answers || (answers.size === 0 && recording.isPlaceholderData))
      return <SkeletonRows rows={10} label="Loading the report bundle" />;
    return page({ path, at, answers });
  };
  return (
    <>
      <PageHeader
        above={back}
        title={report.title}
        sub={<ReportStatus report={report} version={version} />}
        actions={
          <ReportActions
            report={report}
            version={version}
            mayWrite={mayWrite}
            publishing={publish.isPending}
            onPublish={() => publish.mutate()}
            onDialog={setDialog}
          />
        }
      />
      {publish.error && (
        <div className={classes.inset}>
          <ErrorState compact what="Could not publish the report" error={publish.error} />
        </div>
      )}
      <Versions
        report={report}
        version={version}
        onVersion={props.onVersion}
        mode={
          mayEdit && (
            <SegmentedControl
              aria-label="Mode"
              value={editing ? 'edit' : 'read'}
              onChange={(mode) => setEditing(mode === 'edit')}
              data={[
                { value: 'edit', label: 'Edit' },
                { value: 'read', label: 'Preview' },
              ]}
            />
          )
        }
      />
      <div className={classes.body}>
        {mayEdit && editing ? (
          <ReportEditor report={report} page={frozen} liveLink={liveLink} />
        ) : (
          <ReportBody blocks={report.blocks} page={frozen} />
        )}
      </div>
      {discussion}
      <ReportDialog
        dialog={dialog}
        report={report}
        previewLink={props.previewLink}
        onClose={() => setDialog(null)}
        onGone={props.onGone}
      />
    </>
  );
}

function ReportStatus({ report, version }: { report: Report; version?: number }) {
  const { created_by, published_at, updated_at, links_count } = report;
  const by = created_by ? `by ${created_by.name}` : '';
  if (version !== undefined)
    return (
      <>
        Version {version} {by}
      </>
    );
  const changed = published_at !== null && updated_at > published_at;
  return (
    <>
      {report.version === 0 ? 'Not published yet' : `Version ${report.version} is published`}
      {by && ` · ${by}`} · edited <Timestamp at={updated_at} />
      {changed && ' · the draft has unpublished changes'}
      {links_count > 0 && ` · ${countOf(links_count, 'open link')}`}
    </>
  );
}

type VersionsProps = {
  report: Report;
  version?: number;
  onVersion: (version?: number) => void;
  mode: ReactNode;
};

function Versions({ report, version, onVersion, mode }: VersionsProps) {
  const versions = useQuery({ ...versionsQuery(report.id), enabled: report.version > 0 });
  const published = versions.data ?? [];
  if (published.length === 0 && !mode) return <div className={classes.line} />;
  return (
    <Toolbar label="Report">
      {mode}
      {published.length > 0 && (
        <Select
          aria-label="Version"
          className={classes.versions}
          value={version === undefined ? 'draft' : String(version)}
          allowDeselect={false}
          data={[
            { value: 'draft', label: 'Draft' },
            ...published.map((one) => ({
              value: String(one.version),
              label: `Version ${one.version}${one.published_by ? ` by ${one.published_by.name}` : ''}`,
            })),
          ]}
          onChange={(value) =>
            onVersion(value === null || value === 'draft' ? undefined : Number(value))
          }
        />
      )}
    </Toolbar>
  );
}
