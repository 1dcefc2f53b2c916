/** Taking a profile away: pictures of the graph at once, files made by a job and then downloaded. */
import { Button, Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type RefObject } from 'react';
import type { LabelMatcher, ProfileExportFormat } from '../../../api';
import type { CallGraphHandle, FlameGraphHandle } from '../../../charts';
import { ErrorState, download, downloadBlob } from '../../../ui';
import {
  POLL_MS,
  createProfileExport,
  isUnderWay,
  profileExportAddress,
  profileExportQuery,
} from './profile-queries';
import classes from './profiles.module.css';

const FILES: { format: ProfileExportFormat; name: string; hint: string }[] = [
  { format: 'pprof', name: 'pprof', hint: 'merged' },
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
  /** What is exported: one kind, of the samples that have these labels. */
  kind: string;
  labels: LabelMatcher[];
  /** Name of pictures, without an ending. */
  name: string;
  graphs: Graphs;
};

/** A file that a job makes: it is downloaded once. */
function useExportFile({ setId, kind, labels }: Pick<ExportProps, 'setId' | 'kind' | 'labels'>) {
  const [wanted, setWanted] = useState<string | null>(null);
  const make = useMutation({
    mutationFn: (format: ProfileExportFormat) =>
      createProfileExport(setId, { format, kind, labels }),
    onSuccess: ({ id }) => setWanted(id),
  });
  const made = useQuery({
    ...profileExportQuery(setId, wanted ?? ''),
    enabled: wanted !== null,
    refetchInterval: ({ state }) => (state.data === undefined || isUnderWay(state.data)) && POLL_MS,
  });
  const state = made.data?.state;
  useEffect(() => {
    if (wanted !== null && state === 'done') download(profileExportAddress(setId, wanted), '');
  }, [setId, wanted, state]);
  const failed =
    state === 'failed' || state === 'cancelled'
      ? new Error(made.data?.problem?.detail ?? 'The export failed.')
      : null;
  return {
    isBusy: make.isPending || (wanted !== null && made.data !== undefined && isUnderWay(made.data)),
    error: make.error ?? made.error ?? failed,
    create: (format: ProfileExportFormat) => {
      setWanted(null);
      make.mutate(format);
    },
  };
}

export function ProfileExport({ setId, kind, labels, name, graphs }: ExportProps) {
  const file = useExportFile({ setId, kind, labels });
  const [pictureError, setPictureError] = useState<unknown>(null);
  const draw = async (form: 'png' | 'svg') => {
    setPictureError(null);
    try {
      downloadBlob(await pictureOf(graphs, form), `${name}.${form}`);
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
          <Menu.Label>Current graph</Menu.Label>
          <Menu.Item onClick={() => void draw('png')}>PNG</Menu.Item>
          <Menu.Item onClick={() => void draw('svg')}>SVG</Menu.Item>
          <Menu.Divider />
          <Menu.Label>Files</Menu.Label>
          {FILES.map(({ format, name: words, hint }) => (
            <Menu.Item
              key={format}
              onClick={() => file.create(format)}
              rightSection={hint && <span className="muted">{hint}</span>}
            >
              {words}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
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
