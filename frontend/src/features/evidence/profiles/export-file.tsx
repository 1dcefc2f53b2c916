/** Exports of a profile or a comparison: pictures of the graph, and files that a job creates. */
import { Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ProfileSet } from '../../../api';
import { download } from '../../../ui';
import { isUnderWay } from './profile-queries';

/** A job creates a file in one or two seconds, so its state is polled often. */
const POLL_MS = 500;

type StoredExport = Pick<ProfileSet, 'id' | 'state' | 'problem'>;

type FileSource<Format> = {
  create: (format: Format) => Promise<StoredExport>;
  read: (id: string, signal: AbortSignal) => Promise<StoredExport>;
  address: (id: string) => string;
};

/** Requests a file that a job creates, and downloads it once. */
export function useExportFile<Format>({ create, read, address }: FileSource<Format>) {
  const [wanted, setWanted] = useState<string | null>(null);
  const make = useMutation({ mutationFn: create, onSuccess: ({ id }) => setWanted(id) });
  const made = useQuery({
    queryKey: ['export', wanted],
    queryFn: ({ signal }) => read(wanted ?? '', signal),
    enabled: wanted !== null,
    refetchInterval: ({ state }) => (state.data === undefined || isUnderWay(state.data)) && POLL_MS,
  });
  const state = made.data?.state;
  const url = wanted !== null && state === 'done' ? address(wanted) : null;
  useEffect(() => {
    if (url !== null) download(url, '');
  }, [url]);
  const failed =
    state === 'failed' || state === 'cancelled'
      ? new Error(made.data?.problem?.detail ?? 'The export failed.')
      : null;
  const reset = () => {
    make.reset();
    setWanted(null);
  };
  return {
    isBusy: make.isPending || (made.data !== undefined && isUnderWay(made.data)),
    error: make.error ?? made.error ?? failed,
    /** Resets the state of the previous file and its error. */
    reset,
    create: (format: Format) => {
      reset();
      make.mutate(format);
    },
  };
}

export type FileChoice<Format> = { format: Format; name: string; hint: string };

/** PNG and SVG are files; 'copy' copies a PNG to the clipboard. */
export type PictureForm = 'png' | 'svg' | 'copy';

type ItemsProps<Format> = {
  files: readonly FileChoice<Format>[];
  onPicture: (form: PictureForm) => void;
  onFile: (format: Format) => void;
};

/** The items of an export menu. */
export function ExportItems<Format extends string>({
  files,
  onPicture,
  onFile,
}: ItemsProps<Format>) {
  return (
    <>
      <Menu.Label>Export the graph</Menu.Label>
      <Menu.Item onClick={() => onPicture('png')}>PNG</Menu.Item>
      <Menu.Item onClick={() => onPicture('svg')}>SVG</Menu.Item>
      <Menu.Item onClick={() => onPicture('copy')}>Copy picture</Menu.Item>
      <Menu.Divider />
      <Menu.Label>Export files</Menu.Label>
      {files.map(({ format, name, hint }) => (
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
