/** "Download this second": a job cuts the piece out of the trace, then the browser downloads it. */
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ErrorState, download } from '../../ui';
import { usePollWhile } from '../work';
import { askForCut, cutAddress, cutQuery } from './queries';
import type { WorstWait } from './types';
import { isCuttable, secondAround } from './victim-rows';

/** Made in a second or two: worth asking often, events or not. */
const POLL_MS = 700;
const isOpen = (cut: { state: string } | undefined): boolean =>
  cut === undefined || cut.state === 'waiting' || cut.state === 'running';

type CutProps = {
  wait: WorstWait;
  durationNs: number;
  /** What of Go's formats the trace is written in; older ones hold together as a whole. */
  headerVersion: string | null;
};

export function CutButton({ wait, durationNs, headerVersion }: CutProps) {
  const cuttable = isCuttable(headerVersion);
  const pollWhile = usePollWhile();
  const [wanted, setWanted] = useState<string | null>(null);
  const ask = useMutation({
    mutationFn: () => askForCut(wait.artifact, secondAround(wait, durationNs)),
    onSuccess: (made) => {
      setWanted(made.id);
    },
  });
  const cut = useQuery({
    ...cutQuery(wanted ?? ''),
    enabled: wanted !== null,
    refetchInterval: (query) => pollWhile(isOpen(query.state.data)) && POLL_MS,
  });
  const state = cut.data?.state;
  useEffect(() => {
    if (wanted !== null && state === 'done') download(cutAddress(wanted), '');
  }, [wanted, state]);
  const failed =
    state === 'failed' || state === 'cancelled'
      ? Object.assign(new Error(cut.data?.problem?.detail ?? 'The piece could not be cut out.'), {
          facts: cut.data?.problem ?? undefined,
        })
      : null;
  const error = ask.error ?? cut.error ?? failed;
  return (
    <>
      <Button
        variant="subtle"
        size="compact-xs"
        disabled={!cuttable}
        title={
          cuttable
            ? 'A valid trace file of the second around this wait, for go tool trace'
            : `Only traces of Go 1.22 and newer can be cut; this one is in the format of Go ${headerVersion ?? ''}`
        }
        loading={ask.isPending || (wanted !== null && !cut.error && isOpen(cut.data))}
        onClick={() => {
          setWanted(null);
          ask.mutate();
        }}
      >
        Download this second
      </Button>
      {error && <ErrorState compact error={error} />}
    </>
  );
}
