/** The call graph of a diff: every function with the values of both sides. */
import { useImperativeHandle, useMemo, useRef, useState, type RefObject } from 'react';
import type { CallGraphHandle, FlameGraphHandle, FlameSource } from '../../../../charts';
import { readDiffPart } from '../../../../engine/flame/diff-part';
import { mergePart, openTree } from '../../../../engine/flame/diff-tree';
import { readFunctions } from '../../../../engine/flame/function-table';
import { CallGraphSection } from '../../../evidence/profiles';
import type { FindingZoom } from '../shared/finding-zoom';

type DiffCallGraphProps = {
  source: Pick<FlameSource, 'first' | 'rest'>;
  /** The table of functions, whose test results color the graph; null until it is loaded. */
  functions: ArrayBuffer | null;
  basis: string;
  /** The finding whose function is in the center at first. */
  finding: FindingZoom | null;
  /** The handle through which the page controls the graph that is shown. */
  graph: RefObject<FlameGraphHandle | null>;
};

export function DiffCallGraph({ source, functions, basis, finding, graph }: DiffCallGraphProps) {
  const { first, rest } = source;
  const [chosen, setSelected] = useState<string | null>(null);
  const selected = chosen ?? finding?.name ?? '';
  const changes = useMemo(() => (functions ? readFunctions(functions) : null), [functions]);
  const calls = useRef<CallGraphHandle>(null);
  const tree = useMemo(() => {
    const opened = openTree(readDiffPart(first));
    return rest ? mergePart(opened, readDiffPart(rest)) : opened;
  }, [first, rest]);
  useImperativeHandle(graph, (): FlameGraphHandle => {
    const select = (name: string): Promise<boolean> => {
      setSelected(name);
      return Promise.resolve(true);
    };
    return {
      zoomToPath: (names) => select(names.at(-1) ?? ''),
      zoomToFunction: select,
      exportSvg: () => calls.current?.exportSvg() ?? '',
      exportPng: async () => ({
        blob: (await calls.current?.exportPng()) ?? new Blob(),
        cut: null,
      }),
    };
  }, []);
  return (
    <CallGraphSection
      tree={tree}
      changes={changes}
      basis={basis}
      oneSided={false}
      selected={selected}
      onSelect={setSelected}
      graph={calls}
    />
  );
}
