/**
 * A dialog that downloads `default.pgo`, and first shows which hot paths are close to a larger
 * stack, and in which executable.
 */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { asBytes, calls, type HotPath, type LabelMatcher } from '../../../api';
import { CodeBlock, ErrorState, HelpLink, SkeletonRows } from '../../../ui';
import { HotPaths } from './LazyStackSizes';
import { createProfileExport, isUnderWay, readProfileExport } from './profile-queries';

const POLL_MS = 500;

export type PgoCheck = {
  checked: { name: string; go_version: string; is_of_profiles: boolean } | null;
  near: HotPath[];
  sentences: string[];
  command: string;
};

type Exported = { setId: string; kind: string; sampleType: string; labels: LabelMatcher[] };

type Props = { exported: Exported; onClose: () => void; onDownload: () => void };

export default function PgoExport({ exported, onClose, onDownload }: Props) {
  const { check, error } = usePgoCheck(exported);
  const downloadAndClose = () => {
    onDownload();
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title="Export default.pgo" size="xl">
      <Stack gap="sm">
        {error ? (
          <ErrorState compact what="The stack sizes were not checked" error={error} />
        ) : !check ? (
          <SkeletonRows rows={4} label="Checking the stack sizes" />
        ) : (
          <Checked check={check} />
        )}
        <Group justify="flex-end">
          <HelpLink topic="compiler" />
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={downloadAndClose}>Download default.pgo</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Checked({ check: { near, sentences, command } }: { check: PgoCheck }) {
  return (
    <>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {near.length > 0 && <HotPaths paths={near} />}
      <CodeBlock text={command}>{command}</CodeBlock>
    </>
  );
}

function usePgoCheck({ setId, kind, sampleType, labels }: Exported) {
  const asked = useMutation({
    mutationFn: () =>
      createProfileExport(setId, { format: 'pgo-check', kind, sample_type: sampleType, labels }),
  });
  const ask = asked.mutate;
  useEffect(() => ask(), [ask]);
  const id = asked.data?.id;
  const made = useQuery({
    queryKey: ['export', id],
    queryFn: ({ signal }) => readProfileExport(setId, id ?? '', signal),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data === undefined || isUnderWay(state.data)) && POLL_MS,
  });
  const content = useQuery({
    queryKey: ['export', id, 'content'],
    queryFn: async ({ signal }) => {
      const path = { set_id: setId, profile_export_id: id ?? '' };
      const bytes = await calls.profileExportsContent({ path, signal, ...asBytes });
      const text = new TextDecoder().decode(bytes as unknown as ArrayBuffer);
      return JSON.parse(text) as PgoCheck;
    },
    enabled: made.data?.state === 'done',
    staleTime: Infinity,
  });
  const problem = made.data?.problem;
  const failed = problem ? Object.assign(new Error(problem.detail), { facts: problem }) : null;
  return { check: content.data, error: asked.error ?? made.error ?? content.error ?? failed };
}
