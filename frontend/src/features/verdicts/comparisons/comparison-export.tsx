/** Taking the comparison away: pictures of the graph at once, files made by a job and then downloaded. */
import { Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import type { ExportFormat } from '../../../api';
import type { FlameGraphHandle, Picture } from '../../../charts';
import { formatCount } from '../../../engine/format/format';
import { ErrorState, download, downloadBlob } from '../../../ui';
import { usePollWhile } from '../../platform/jobs';
import classes from './Page.module.css';
import { createExport, exportAddress, exportQuery } from './comparison-queries';

const FILES: { format: ExportFormat; name: string; hint: string }[] = [
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
  /** For the dropdown of a menu. */
  items: ReactNode;
  /** What the last export came to, if it is not a whole file. */
  outcome: ReactNode;
};

export function useComparisonExport({ comparisonId, kind, name, graph }: ExportProps): Exporting {
  const pollWhile = usePollWhile();
  const [wanted, setWanted] = useState<string | null>(null);
  const [pictureError, setPictureError] = useState<unknown>(null);
  const [cut, setCut] = useState<Picture['cut']>(null);
  const make = useMutation({
    mutationFn: (format: ExportFormat) => createExport(comparisonId, format, kind || null),
    onSuccess: (made) => setWanted(made.id),
  });
  const made = useQuery({
    ...exportQuery(wanted ?? ''),
    enabled: wanted !== null,
    // Made in a second or two: worth asking often, events or not.
    refetchInterval: (query) => {
      const open =
        query.state.data === undefined ||
        query.state.data.state === 'waiting' ||
        query.state.data.state === 'running';
      return pollWhile(open) && 700;
    },
  });
  const state = made.data?.state;
  useEffect(() => {
    if (wanted !== null && state === 'done') download(exportAddress(wanted), '');
  }, [wanted, state]);
  const busy = make.isPending || state === 'waiting' || state === 'running';
  const error =
    make.error ??
    made.error ??
    (state === 'failed'
      ? new Error(made.data?.problem?.detail ?? 'The export failed.')
      : pictureError);

  /** What the export before this one came to is not shown any more. */
  const begin = () => {
    make.reset();
    setWanted(null);
    setPictureError(null);
    setCut(null);
  };
  const picture = async (form: 'png' | 'svg') => {
    try {
      begin();
      const handle = graph();
      if (!handle) throw new Error('The flame graph is not loaded yet.');
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
    make.mutate(format);
  };
  return {
    busy,
    items: <ExportItems onPicture={(form) => void picture(form)} onFile={file} />,
    outcome: <ExportOutcome cut={cut} error={error} />,
  };
}

type ItemsProps = {
  onPicture: (form: 'png' | 'svg') => void;
  onFile: (format: ExportFormat) => void;
};

function ExportItems({ onPicture, onFile }: ItemsProps) {
  return (
    <>
      <Menu.Label>Export the graph</Menu.Label>
      <Menu.Item onClick={() => onPicture('png')}>PNG</Menu.Item>
      <Menu.Item onClick={() => onPicture('svg')}>SVG</Menu.Item>
      <Menu.Divider />
      <Menu.Label>Export files</Menu.Label>
      {FILES.map(({ format, name, hint }) => (
        <Menu.Item
          key={format}
          onClick={() => onFile(format)}
          rightSection={hint && <span className="muted">{hint}</span>}
        >
          {name}
        </Menu.Item>
      ))}
    </>
  );
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
