/**
 * Exports of a comparison: images of the graph are made in the browser, files are made by a job and
 * then downloaded.
 */
import { useState, type ReactNode } from 'react';
import type { ExportFormat } from '../../../api';
import type { FlameGraphHandle, Picture } from '../../../charts';
import { formatCount } from '../../../engine/format/format';
import { ErrorState, copyPicture, downloadBlob } from '../../../ui';
import {
  ExportItems,
  useExportFile,
  type FileChoice,
  type PictureForm,
} from '../../evidence/profiles';
import classes from './shared/Page.module.css';
import { createExport, exportAddress, readExport } from './shared/comparison-queries';

const FILES: FileChoice<ExportFormat>[] = [
  { format: 'pprof-diff', name: 'Diff as pprof', hint: 'Same as pprof -diff_base' },
  { format: 'pprof-base', name: 'Base as one pprof', hint: 'merged' },
  { format: 'pprof-candidate', name: 'Candidate as one pprof', hint: 'merged' },
  { format: 'json', name: 'Findings as JSON', hint: 'slowpath.comparison/2' },
  { format: 'csv', name: 'Functions as CSV', hint: '' },
];

type ExportProps = {
  comparisonId: string;
  kind: string;
  name: string;
  graph: () => FlameGraphHandle | null;
};

type Exporting = {
  busy: boolean;
  /** The entries of the menu. */
  items: ReactNode;
  /** The outcome of the last export: an error, or that its image is cut off. */
  outcome: ReactNode;
};

export function useComparisonExport({ comparisonId, kind, name, graph }: ExportProps): Exporting {
  const made = useExportFile<ExportFormat>({
    create: (format) => createExport(comparisonId, format, kind || null),
    read: readExport,
    address: exportAddress,
  });
  const [pictureError, setPictureError] = useState<unknown>(null);
  const [cut, setCut] = useState<Picture['cut']>(null);
  const error = made.error ?? pictureError;

  /** Clears the outcome of the previous export. */
  const begin = () => {
    made.reset();
    setPictureError(null);
    setCut(null);
  };
  const picture = async (form: PictureForm) => {
    try {
      begin();
      const handle = graph();
      if (!handle) throw new Error('The flame graph is not loaded yet.');
      if (form === 'copy') {
        const drawn = handle.exportPng();
        await copyPicture(drawn.then(({ blob }) => blob));
        setCut((await drawn).cut);
        return;
      }
      const whole = (blob: Blob): Picture => ({ blob, cut: null });
      const { blob, cut: cutOff } =
        form === 'png'
          ? await handle.exportPng()
          : whole(new Blob([handle.exportSvg()], { type: 'image/svg+xml' }));
      setCut(cutOff);
      downloadBlob(blob, `${name}.${form}`);
    } catch (failure) {
      setPictureError(failure);
    }
  };

  const file = (format: ExportFormat) => {
    begin();
    made.create(format);
  };
  return {
    busy: made.isBusy,
    items: <ExportItems files={FILES} onPicture={(form) => void picture(form)} onFile={file} />,
    outcome: <ExportOutcome cut={cut} error={error} />,
  };
}

function ExportOutcome({ cut, error }: { cut: Picture['cut']; error: unknown }) {
  return (
    <>
      {cut !== null && (
        <p className={classes.cut} role="status">
          The PNG shows {formatCount(cut.rows)} of {formatCount(cut.whole)} rows that fit into an
          image. The SVG has all of them.
        </p>
      )}
      {error !== null && error !== undefined && <ErrorState compact error={error} />}
    </>
  );
}
