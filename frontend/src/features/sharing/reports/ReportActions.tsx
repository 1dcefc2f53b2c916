/** The actions on a report: download, print, share, publish, rename, delete. */
import { Button, Menu } from '@mantine/core';
import type { ComponentProps } from 'react';
import type { Report } from '../../../api';
import { DeleteResource, download } from '../../../ui';
import { ReportTitleForm } from './ReportTitleForm';
import { ShareDialog } from './ShareDialog';
import { deleteReport, exportAddress, updateReport } from './report-queries';
import { ALL_SCRUBBED, type Scrub } from './report-types';

export type OpenDialog = 'title' | 'share' | 'delete' | null;

type ActionsProps = {
  report: Report;
  version?: number;
  mayWrite: boolean;
  publishing: boolean;
  onPublish: () => void;
  onDialog: (dialog: OpenDialog) => void;
};

const NOTHING_OUT: Scrub = { labels: false, paths: false, hosts: false, users: false };

export function ReportActions({
  report,
  version,
  mayWrite,
  publishing,
  onPublish,
  onDialog,
}: ActionsProps) {
  const unpublishable =
    report.blocks.length === 0
      ? 'The report is empty'
      : report.published_at !== null && report.updated_at <= report.published_at
        ? `No changes since version ${report.version}`
        : undefined;
  const take = (scrub: Scrub) => () => download(exportAddress(report.id, scrub, version), '');
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button>More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>One HTML file that opens offline</Menu.Label>
          <Menu.Item onClick={take(NOTHING_OUT)}>Full content</Menu.Item>
          <Menu.Item onClick={take(ALL_SCRUBBED)}>Scrubbed</Menu.Item>
          <Menu.Item onClick={() => window.print()}>Print</Menu.Item>
          {mayWrite && (
            <>
              <Menu.Divider />
              <Menu.Item onClick={() => onDialog('title')}>Change title</Menu.Item>
              <Menu.Item onClick={() => onDialog('delete')}>Delete report</Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Button onClick={() => onDialog('share')}>Share</Button>
      {mayWrite && version === undefined && (
        <Button
          variant="filled"
          loading={publishing}
          disabled={unpublishable !== undefined}
          title={unpublishable}
          onClick={onPublish}
        >
          Publish
        </Button>
      )}
    </>
  );
}

type DialogProps = {
  dialog: OpenDialog;
  report: Report;
  previewLink: ComponentProps<typeof ShareDialog>['previewLink'];
  onClose: () => void;
  onGone: () => void;
};

export function ReportDialog({ dialog, report, previewLink, onClose, onGone }: DialogProps) {
  switch (dialog) {
    case null:
      return null;
    case 'share':
      return <ShareDialog report={report} previewLink={previewLink} onClose={onClose} />;
    case 'delete':
      return (
        <DeleteResource
          name={`“${report.title}”`}
          noun="report"
          request={() => deleteReport(report.id)}
          stale={['report', 'list']}
          onDeleted={onGone}
          onClose={onClose}
        >
          Deletes its versions, snapshots and share links. The original pages stay.
        </DeleteResource>
      );
    case 'title':
      return (
        <ReportTitleForm
          words={{
            head: 'Change title',
            submit: 'Change title',
            failed: 'Could not save the title',
          }}
          title={report.title}
          save={(title) => updateReport(report.id, { title, updated_at: report.updated_at })}
          onSaved={onClose}
          onClose={onClose}
        />
      );
  }
}
