/** The flame graph, the table of functions, the selected function and the values of a label. */
import { Button } from '@mantine/core';
import { Suspense, lazy, useMemo, useState, type RefObject } from 'react';
import type { LabelKey } from '../../../api';
import type { FlameGraphHandle } from '../../../charts';
import { exactly } from '../../../engine/flame/name-pattern';
import { categoryLabel } from '../../../engine/format/profile-labels';
import { ErrorState, ProblemBoundary, SkeletonRows } from '../../../ui';
import { LabelValues } from './LabelValues';
import { ProfileFunctions } from './ProfileFunctions';
import { SelectedFunction } from './SelectedFunction';
import { indexCalls } from './function-details';
import { largestFunction, scaleOf } from './function-rows';
import type { OpenedSet } from './profile-context';
import { categoryText, toggleLabel, widthText } from './profile-wording';
import classes from './profiles.module.css';
import type { ProfileData } from './use-profile-data';
import type { LoadedView } from './use-profile-view';

const GRAPH_HEIGHT = 470;

const loading = import('../../../charts/flame/FlameGraph');
loading.catch(() => undefined); // The error is shown in place of the graph.
const FlameGraph = lazy(async () => ({ default: (await loading).FlameGraph }));

type TabProps = {
  opened: OpenedSet;
  loaded: LoadedView;
  data: ProfileData;
  labelKeys: readonly LabelKey[];
  graph: RefObject<FlameGraphHandle | null>;
};

export function ProfileTab({ opened, loaded, data, labelKeys, graph }: TabProps) {
  const { set, view, change, links } = opened;
  const { table, tree } = data;
  const [hovered, setHovered] = useState<string | null>(null);
  const [inGraph, setInGraph] = useState<string | null>(null);
  const calls = useMemo(() => (tree ? indexCalls(tree) : null), [tree]);
  const largest = useMemo(() => (table ? largestFunction(table) : ''), [table]);
  const selected = view.selected === '' ? largest : view.selected;
  const side = (label: { key: string; value: string | null }) => ({
    artifactIds: set.artifacts.map(({ id }) => id),
    labels: [...view.labels.filter(({ key }) => key !== label.key), label],
  });
  return (
    <div className={classes.columns}>
      <div className={classes.graph}>
        <Flame
          opened={opened}
          loaded={loaded}
          data={data}
          graph={graph}
          outlined={hovered ?? selected}
          onHover={setInGraph}
        />
      </div>
      <div className={classes.table}>
        {table ? (
          <ProblemBoundary what="The table failed">
            <ProfileFunctions
              table={table}
              view={view}
              change={change}
              selected={selected}
              marked={inGraph}
              onHover={setHovered}
            />
          </ProblemBoundary>
        ) : (
          <SkeletonRows rows={12} height={26} label="Loading the functions" />
        )}
      </div>
      <aside className={classes.aside} aria-label="Details">
        {table && selected !== '' && (
          <SelectedFunction
            table={table}
            calls={calls}
            basis={view.flame.basis}
            name={selected}
            onSelect={(name) => change({ selected: name })}
            onFocus={(name) =>
              change({
                selected: name,
                flame: { ...view.flame, focus: exactly(name), zoom: '', span: null },
              })
            }
            onLines={
              view.flame.granularity === 'function'
                ? (name) => change({ selected: name, tab: 'lines' })
                : undefined
            }
          />
        )}
        <LabelValues
          keys={labelKeys}
          chosen={view.labelKey}
          onChoose={(labelKey) => change({ labelKey })}
          labels={view.labels}
          onFilter={(label) => change({ labels: toggleLabel(view.labels, label) })}
          compare={(base, candidate, words) =>
            links.compare(side(base), side(candidate), words, false)
          }
        />
      </aside>
    </div>
  );
}

type FlameProps = Omit<TabProps, 'labelKeys'> & {
  outlined: string;
  onHover: (name: string | null) => void;
};

function Flame({ opened, loaded, data, graph, outlined, onHover }: FlameProps) {
  const { view, change } = opened;
  const { source, table, error, again } = data;
  const highlighted = useMemo(() => (outlined === '' ? [] : [outlined]), [outlined]);
  const oneSide = useMemo(
    () => ({
      width: table ? widthText(loaded.summary, scaleOf(table, view.flame.basis)) : '',
      selected: categoryText(loaded.summary, view.flame.category ?? ''),
    }),
    [table, loaded.summary, view.flame.basis, view.flame.category],
  );
  if (error)
    return (
      <ErrorState
        what="Could not load the profile"
        error={error}
        action={<Button onClick={again}>Try again</Button>}
      />
    );
  if (!source) return <SkeletonRows rows={14} height={18} label="Loading the flame graph" />;
  return (
    <ProblemBoundary what="The flame graph failed" resetKey={source.key}>
      <Suspense fallback={<SkeletonRows rows={14} height={18} label="Loading the graph" />}>
        <FlameGraph
          ref={graph}
          source={source}
          view={view.flame}
          onViewChange={(flame, replace) =>
            change({ flame: { ...flame, mode: 'candidate' } }, replace)
          }
          highlighted={highlighted}
          onFunctionHover={onHover}
          onFrameChosen={({ name, depth }) => depth > 0 && change({ selected: name })}
          onListLines={(name) => change({ selected: name, tab: 'lines' })}
          categoryLabel={categoryLabel}
          maxHeight={GRAPH_HEIGHT}
          chips
          oneSide={oneSide}
          label="Flame graph"
        />
      </Suspense>
    </ProblemBoundary>
  );
}
