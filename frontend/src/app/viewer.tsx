/** A report bundle: a report in one file, which contains all its data and sends no requests. */
import './styles';
import { QueryClient } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readReportBundle, type ReportBundle } from '../api';
import { SharedReport, type RecordedReport } from '../features/sharing/reports';
import { ErrorState } from '../ui';
import { Providers } from './Providers';
import { SnapshotView } from './snapshots/SnapshotView';

async function recordingInside(): Promise<ReportBundle<RecordedReport>> {
  const text = document.getElementById('slowpath-recording')?.textContent.trim() ?? '';
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return readReportBundle<RecordedReport>(await new Response(plain).arrayBuffer());
}

const place = document.getElementById('root');
if (!place) throw new Error('the file has no #root');
const root = createRoot(place);
const show = (page: React.ReactNode) => {
  root.render(
    <StrictMode>
      <Providers client={new QueryClient()}>{page}</Providers>
    </StrictMode>,
  );
};

recordingInside().then(
  (recording) => {
    show(
      <SharedReport
        recording={recording}
        kind="file"
        page={(frozen) => <SnapshotView {...frozen} />}
      />,
    );
  },
  (error: unknown) => show(<ErrorState what="Could not read this file" error={error} />),
);
