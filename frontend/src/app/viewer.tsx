/** A report that is one file: what it shows stands in it, and it asks nobody for anything. */
import './styles';
import { QueryClient } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readRecording, type Recording } from '../api';
import { SharedReport, type RecordedReport } from '../features/reports';
import { ErrorState } from '../ui';
import { Providers } from './Providers';
import { FrozenView } from './frozen/FrozenView';

async function recordingInside(): Promise<Recording<RecordedReport>> {
  const text = document.getElementById('slowpath-recording')?.textContent.trim() ?? '';
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return readRecording<RecordedReport>(await new Response(plain).arrayBuffer());
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
        page={(frozen) => <FrozenView {...frozen} />}
      />,
    );
  },
  (error: unknown) => {
    show(<ErrorState what="This file can not be read" error={error} />);
  },
);
