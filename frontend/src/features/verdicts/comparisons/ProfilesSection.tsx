/** The diff of profiles: one tab for each kind of profile, and the view of the chosen kind. */
import { Tabs } from '@mantine/core';
import type { ReactNode, RefObject } from 'react';
import type { Comparison } from '../../../api';
import type { FlameGraphHandle } from '../../../charts';
import { DiffView } from './flame/DiffView';
import classes from './shared/Page.module.css';
import type { ComparisonView } from './shared/comparison-url';
import type { FindingZoom } from './shared/finding-zoom';
import { kindLabel } from './shared/comparison-wording';
import type { RequestedView } from './shared/selected-view';

type ProfilesProps = {
  comparison: Comparison;
  kinds: string[];
  wanted: RequestedView;
  view: ComparisonView;
  onView: (view: ComparisonView, replace?: boolean) => void;
  graph: RefObject<FlameGraphHandle | null>;
  zoom: FindingZoom | null;
  beside: ReactNode;
};

export function ProfilesSection(props: ProfilesProps) {
  const { comparison, kinds, wanted, view, onView, graph } = props;
  // For a comparison of metrics alone, the list of findings already shows everything.
  const ofMetrics = comparison.artifact_kinds.length === 0 && comparison.base.time_range !== null;
  return (
    <>
      {kinds.length > 1 && (
        <div className={classes.kinds}>
          <Tabs
            value={wanted.kind}
            onChange={(kind) => {
              onView({
                ...view,
                kind: kind ?? '',
                sampleType: '',
                flame: { ...view.flame, basis: '', zoom: '', span: null },
                whole: false,
              });
            }}
          >
            <Tabs.List aria-label="Kinds of profile">
              {kinds.map((kind) => (
                <Tabs.Tab key={kind} value={kind}>
                  {kindLabel(kind)}
                </Tabs.Tab>
              ))}
            </Tabs.List>
          </Tabs>
        </div>
      )}
      {!ofMetrics && (
        <DiffView
          key={`${wanted.kind} ${wanted.sampleType} ${wanted.granularity}`}
          comparison={comparison}
          wanted={wanted}
          view={view}
          onView={onView}
          graph={graph}
          zoom={props.zoom}
          beside={props.beside}
        />
      )}
    </>
  );
}
