/** The assembly of a function, requested when it is first shown. The server computes it once. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorState, SkeletonRows } from '../../../ui';
import { usePollWhile } from '../../platform/jobs';
import { AssemblyTable } from './AssemblyTable';
import type { Side, SourceText } from './assembly-rows';
import { assemblyQuery, isOpen, type AssemblyOf } from './executable-queries';

/** The job takes one or two seconds, so its state is polled often, with or without events. */
const POLL_MS = 700;
const NO_TEXTS = {};

type AssemblyProps = {
  of: AssemblyOf;
  name: string;
  /** The source text of the function's lines, if it is known. */
  texts?: Partial<Record<Side, SourceText>>;
};

export default function Assembly({ of, name, texts = NO_TEXTS }: AssemblyProps) {
  const pollWhile = usePollWhile();
  const found = useQuery({
    ...assemblyQuery(of, name),
    refetchInterval: ({ state }) => pollWhile(isOpen(state.data)) && POLL_MS,
  });
  const failed = found.data && !isOpen(found.data) && !found.data.document;
  if (found.error || failed)
    return (
      <ErrorState
        what="Could not disassemble the function"
        error={
          found.error ??
          Object.assign(new Error(found.data.problem?.detail ?? 'The job failed.'), {
            facts: found.data.problem ?? undefined,
          })
        }
        action={<Button onClick={() => void found.refetch()}>Try again</Button>}
      />
    );
  if (!found.data?.document)
    return <SkeletonRows rows={10} height={22} label="Disassembling the function" />;
  return <AssemblyTable document={found.data.document} texts={texts} />;
}
