/** The export menu of a profile: pictures of the graph at once, and files that a job creates. */
import { Button, Menu } from '@mantine/core';
import { Suspense, lazy, useState, type RefObject } from 'react';
import type { LabelMatcher, ProfileExportFormat } from '../../../api';
import type { CallGraphHandle, FlameGraphHandle } from '../../../charts';
import { ErrorState, copyPicture, downloadBlob } from '../../../ui';
import { ExportItems, useExportFile, type FileChoice, type PictureForm } from './export-file';
import { createProfileExport, profileExportAddress, readProfileExport } from './profile-queries';
import classes from './profiles.module.css';

const PgoExport = lazy(() => import('./PgoExport'));

const FILES: FileChoice<ProfileExportFormat>[] = [
  { format: 'pprof', name: 'pprof', hint: 'merged' },
  { format: 'pgo', name: 'default.pgo', hint: 'go build -pgo' },
  { format: 'speedscope', name: 'Speedscope', hint: '' },
  { format: 'firefox-profiler', name: 'Firefox Profiler', hint: '' },
  { format: 'csv', name: 'Functions as CSV', hint: '' },
];

export type Graphs = {
  flame: RefObject<FlameGraphHandle | null>;
  calls: RefObject<CallGraphHandle | null>;
};

type ExportProps = {
  setId: string;
  /** The exported samples: one kind and sample type, with these labels. */
  kind: string;
  sampleType: string;
  labels: LabelMatcher[];
  /** The file name of pictures, without an extension. */
  name: string;
  graphs: Graphs;
};

export function ProfileExport({ setId, kind, sampleType, labels, name, graphs }: ExportProps) {
  const file = useExportFile<ProfileExportFormat>({
    create: (format) =>
      createProfileExport(setId, { format, kind, sample_type: sampleType, labels }),
    read: (id, signal) => readProfileExport(setId, id, signal),
    address: (id) => profileExportAddress(setId, id),
  });
  const [pictureError, setPictureError] = useState<unknown>(null);
  const [isPgoOpen, setPgoOpen] = useState(false);
  const draw = async (form: PictureForm) => {
    setPictureError(null);
    try {
      if (form === 'copy') await copyPicture(pictureOf(graphs, 'png'));
      else downloadBlob(await pictureOf(graphs, form), `${name}.${form}`);
    } catch (failure) {
      setPictureError(failure);
    }
  };
  const error = file.error ?? pictureError;
  return (
    <div className={classes.export}>
      <Menu width={220}>
        <Menu.Target>
          <Button loading={file.isBusy}>Export</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <ExportItems
            files={FILES.filter(({ format }) => format !== 'pgo' || kind === 'cpu')}
            onPicture={(form) => void draw(form)}
            onFile={(format) => (format === 'pgo' ? setPgoOpen(true) : file.create(format))}
          />
        </Menu.Dropdown>
      </Menu>
      {isPgoOpen && (
        <Suspense fallback={null}>
          <PgoExport
            exported={{ setId, kind, sampleType, labels }}
            onClose={() => setPgoOpen(false)}
            onDownload={() => file.create('pgo')}
          />
        </Suspense>
      )}
      {error !== null && error !== undefined && <ErrorState compact error={error} />}
    </div>
  );
}

async function pictureOf({ flame, calls }: Graphs, form: 'png' | 'svg'): Promise<Blob> {
  if (flame.current && form === 'png') return (await flame.current.exportPng()).blob;
  if (calls.current && form === 'png') return calls.current.exportPng();
  const text = flame.current?.exportSvg() ?? calls.current?.exportSvg();
  if (text === undefined)
    throw new Error('No graph is shown. Open the tab Profile or Call graph first.');
  return new Blob([text], { type: 'image/svg+xml' });
}
