/** The tabs that show the samples of one view. */
import { Button } from '@mantine/core';
import { Suspense, lazy } from 'react';
import { EmptyState, ErrorState, SkeletonRows } from '../../../ui';
import { CallGraphSection } from './CallGraphSection';
import { CategoryStrip } from './CategoryStrip';
import { LabelsTab } from './LabelsTab';
import { LinesTab } from './LinesTab';
import type { Graphs } from './ProfileExport';
import { ProfileTab } from './ProfileTab';
import { ProfileToolbar } from './ProfileToolbar';
import type { OpenedSet } from './profile-context';
import type { WantedView } from './profile-queries';
import { groupLabels, labelsText } from './profile-wording';
import classes from './profiles.module.css';
import { useProfileData } from './use-profile-data';
import type { LoadedView, ViewStatus } from './use-profile-view';

const StackSizesTab = lazy(() => import('./StackSizesTab'));

type ViewTabsProps = {
  opened: OpenedSet;
  wanted: WantedView;
  status: ViewStatus;
  graphs: Graphs;
};

export function ViewTabs({ opened, wanted, status, graphs }: ViewTabsProps) {
  const { set, view, change } = opened;
  const { loaded, error, again } = status;
  // The values of all samples, so that others can be selected while a filter is set.
  const labelKeys = (loaded?.whole ?? loaded?.summary)?.labels ?? [];
  const { flame } = view;
  if (view.tab === 'stacks')
    return (
      <Suspense fallback={<SkeletonRows rows={10} label="Loading the tab" />}>
        <StackSizesTab opened={opened} wanted={wanted} />
      </Suspense>
    );
  return (
    <>
      {loaded && view.tab === 'profile' && (
        <CategoryStrip
          summary={loaded.summary}
          selected={flame.category ?? ''}
          onSelect={(category) => change({ flame: { ...flame, category } })}
        />
      )}
      <ProfileToolbar
        kinds={set.kinds}
        computed={loaded?.view ?? null}
        labelKeys={labelKeys}
        measured={wanted}
        view={view}
        change={change}
      />
      {!loaded && !error && (
        <div className={classes.inset}>
          <SkeletonRows rows={14} height={18} label="Computing the view" />
        </div>
      )}
      {error && (
        <div className={classes.inset}>
          <ErrorState
            what="Could not compute this view"
            error={error}
            action={<Button onClick={again}>Try again</Button>}
          />
        </div>
      )}
      {loaded && (
        <LoadedTabs
          key={loaded.key.profile_view_id}
          opened={opened}
          loaded={loaded}
          labelKeys={labelKeys}
          graphs={graphs}
        />
      )}
    </>
  );
}

type LoadedProps = {
  opened: OpenedSet;
  loaded: LoadedView;
  labelKeys: LoadedView['summary']['labels'];
  graphs: Graphs;
};

function LoadedTabs({ opened, loaded, labelKeys, graphs }: LoadedProps) {
  const { view, change } = opened;
  const data = useProfileData(loaded.key, loaded.view);
  if (view.tab !== 'labels' && loaded.summary.total.raw === 0)
    return (
      <div className={classes.inset}>
        <EmptyState
          action={
            view.labels.length > 0 && (
              <Button onClick={() => change({ labels: [] })}>Remove filter</Button>
            )
          }
        >
          {view.labels.length > 0
            ? `No sample matches ${groupLabels(view.labels).map(labelsText).join(' and ')}.`
            : 'The profile has no samples of this type.'}
        </EmptyState>
      </div>
    );
  return (
    <>
      <SummaryCaveats summary={loaded.summary} />
      {view.tab === 'profile' && (
        <ProfileTab
          opened={opened}
          loaded={loaded}
          data={data}
          labelKeys={labelKeys}
          graph={graphs.flame}
        />
      )}
      {view.tab === 'graph' && (
        <CallGraphSection
          tree={data.tree}
          basis={view.flame.basis}
          oneSided
          selected={view.selected}
          onSelect={(selected) => change({ selected })}
          graph={graphs.calls}
        />
      )}
      {view.tab === 'lines' && <LinesTab opened={opened} viewKey={loaded.key} table={data.table} />}
      {view.tab === 'labels' && <LabelsTab opened={opened} labelKeys={labelKeys} />}
    </>
  );
}

function SummaryCaveats({ summary: { caveats } }: Pick<LoadedView, 'summary'>) {
  if (caveats.length === 0) return null;
  return (
    <ul className={classes.caveats} aria-label="Caveats">
      {caveats.map(({ id, sentence }) => (
        <li key={id}>{sentence}</li>
      ))}
    </ul>
  );
}
