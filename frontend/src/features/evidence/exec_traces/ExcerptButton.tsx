/** A button for which a job cuts an excerpt out of the trace; the browser then downloads it. */
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ErrorState, download } from '../../../ui';
import { usePollWhile } from '../../platform/jobs';
import { requestExcerpt, excerptUrl, excerptQuery } from './trace-queries';
import type { LongestWait } from './trace-types';
import { isCuttable, secondAround } from './waiter-rows';

/** The job takes one or two seconds, so its state is polled often, with or without events. */
const POLL_MS = 700;
const isOpen = (cut: { state: string } | undefined): boolean =>
  cut === undefined || cut.state === 'waiting' || cut.state === 'running';

type CutProps = {
  wait: LongestWait;
  durationNs: number;
  /** The Go version of the trace's format; older formats cannot be cut. */
  headerVersion: string | null;
};

export function ExcerptButton({ wait, durationNs, headerVersion }: CutProps) {
  const cuttable = isCuttable(headerVersion);
  const pollWhile = usePollWhile();
  const [wanted, setWanted] = useState<string | null>(null);
  const ask = useMutation({
    mutationFn: () => requestExcerpt(wait.artifact, secondAround(wait, durationNs)),
    onSuccess: (made) => setWanted(made.id),
  });
  const cut = useQuery({
    ...excerptQuery(wanted ?? ''),
    enabled: wanted !== null,
    refetchInterval: (query) => pollWhile(isOpen(query.state.data)) && POLL_MS,
  });
  const state = cut.data?.state;
  useEffect(() => {
    if (wanted !== null && state === 'done') download(excerptUrl(wanted), '');
  }, [wanted, state]);
  const failed =
    state === 'failed' || state === 'cancelled'
      ? Object.assign(new Error(cut.data?.problem?.detail ?? 'Could not create the excerpt.'), {
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
            : `Excerpts need a trace of Go 1.22 or later; this one has the format of Go ${headerVersion ?? ''}`
        }
        loading={ask.isPending || (wanted !== null && !cut.error && isOpen(cut.data))}
        onClick={() => {
          setWanted(null);
          ask.mutate();
        }}
      >
        Download excerpt
      </Button>
      {error && <ErrorState compact error={error} />}
    </>
  );
}
