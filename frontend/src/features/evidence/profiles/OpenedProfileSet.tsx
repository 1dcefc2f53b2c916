/** The page of a set whose kinds are known: header, tabs, and the selected view. */
import { Button, Tabs } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, type ReactNode } from 'react';
import type { ProfileSet } from '../../../api';
import { visibleName } from '../../../engine/flame/frame-label';
import { ErrorState, HiddenInSnapshot, PageHeader, useIsSnapshot } from '../../../ui';
import { ProfileExport, type Graphs } from './ProfileExport';
import { SetArtifacts, SetConditions } from './SetTabs';
import { ViewTabs } from './ViewTabs';
import type { OpenedSet, ProfilePageContext } from './profile-context';
import { PROFILE_TABS, isProfileStep, type ProfilePageView, type ProfileTab } from './profile-url';
import { factsText, headlineParts, setName } from './profile-wording';
import classes from './profiles.module.css';
import { selectView } from './selected-view';
import { useProfileView, type LoadedView } from './use-profile-view';

type OpenedProps = { set: ProfileSet; context: ProfilePageContext; again: () => void };

export function OpenedProfileSet({ set, context, again }: OpenedProps) {
  const { view, links } = context;
  const change = useViewChanges(context);
  const { kind, sampleType, labels } = view;
  // Lines are listed for one function, whatever the granularity of the graph is.
  const granularity = view.tab === 'lines' ? 'function' : view.flame.granularity;
  const wanted = useMemo(
    () => selectView(set, { kind, sampleType, granularity, labels }),
    [set, kind, sampleType, granularity, labels],
  );
  const status = useProfileView(set, wanted);
  const graphs: Graphs = { flame: useRef(null), calls: useRef(null) };
  const opened: OpenedSet = { set, view, change, links };
  const failed = set.kinds.length === 0 ? failureOf(set) : null;
  return (
    <>
      <ProfileHeader opened={opened} loaded={status.loaded} context={context}>
        {wanted.kind !== '' && (
          <ProfileExport
            setId={set.id}
            kind={wanted.kind}
            sampleType={wanted.sampleType}
            labels={labels}
            name={setName(set)}
            graphs={graphs}
          />
        )}
      </ProfileHeader>
      <ProfileTabs opened={opened} loaded={status.loaded} beside={context.beside} />
      {failed && (
        <div className={classes.inset}>
          <ErrorState
            what="Could not open the profiles"
            error={failed}
            action={<Button onClick={again}>Try again</Button>}
          />
        </div>
      )}
      {view.tab === 'artifacts' && <SetArtifacts set={set} links={links} />}
      {(view.tab === 'metadata' || (failed && context.metadata !== undefined)) &&
        (context.metadata ?? <SetConditions set={set} links={links} />)}
      {!failed && view.tab !== 'artifacts' && view.tab !== 'metadata' && (
        <ViewTabs opened={opened} wanted={wanted} status={status} graphs={graphs} />
      )}
    </>
  );
}

/**
 * Returns a callback that changes the newest view. It is stable, so children do not render again
 * while the graph is dragged.
 */
function useViewChanges(context: ProfilePageContext) {
  const latest = useRef(context);
  useEffect(() => {
    latest.current = context;
  });
  return useCallback((changed: Partial<ProfilePageView>, replace = false) => {
    const { view, onView } = latest.current;
    const next = { ...view, ...changed };
    onView(next, replace || !isProfileStep(view, next));
  }, []);
}

function failureOf({ state, problem }: ProfileSet): Error | null {
  if (problem) return Object.assign(new Error(problem.detail), { facts: problem });
  return new Error(state === 'cancelled' ? 'It was cancelled.' : 'It has no profiles.');
}

type HeaderProps = {
  opened: OpenedSet;
  loaded: LoadedView | null;
  context: ProfilePageContext;
  children: ReactNode;
};

function ProfileHeader({ opened: { set, view, links }, loaded, context, children }: HeaderProps) {
  const name = setName(set);
  const side = { artifactIds: set.artifacts.map(({ id }) => id), labels: view.labels };
  return (
    <PageHeader
      above={
        <p className={classes.above}>
          {context.above} <span className="muted">/</span>{' '}
          <span className="t2">{visibleName(name)}</span>
        </p>
      }
      title={
        loaded
          ? headlineParts(loaded.summary.headline).map(({ text, code }, at) => (
              <span key={at} className={code ? 'mono' : undefined}>
                {visibleName(text)}
              </span>
            ))
          : visibleName(name)
      }
      sub={loaded ? factsText(set, loaded.summary, loaded.whole) : 'Computing the view'}
      actions={
        <HiddenInSnapshot>
          {children}
          {links.compare(side, null, 'Compare with…', true)}
        </HiddenInSnapshot>
      }
    />
  );
}

const TAB_LABELS: Record<ProfileTab, string> = {
  profile: 'Profile',
  graph: 'Call graph',
  lines: 'Source lines',
  labels: 'Labels',
  stacks: 'Stack sizes',
  artifacts: 'Profiles in this set',
  metadata: 'Run metadata',
};

type TabsProps = { opened: OpenedSet; loaded: LoadedView | null; beside: ReactNode };

function ProfileTabs({ opened: { set, view, change }, loaded, beside }: TabsProps) {
  const counts: Partial<Record<ProfileTab, number>> = {
    labels: (loaded?.whole ?? loaded?.summary)?.labels.length ?? 0,
    artifacts: set.artifacts.length,
  };
  const isSnapshot = useIsSnapshot();
  const isShown: Partial<Record<ProfileTab, boolean>> = {
    artifacts: set.artifacts.length > 1,
    stacks: !isSnapshot,
  };
  const shown = PROFILE_TABS.filter((tab) => isShown[tab] ?? true);
  return (
    <div className={classes.tabs}>
      <Tabs value={view.tab} onChange={(tab) => change({ tab: (tab ?? 'profile') as ProfileTab })}>
        <Tabs.List aria-label="Views of the profile">
          {shown.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {TAB_LABELS[tab]}
              {counts[tab] ? <span className={classes.count}> {counts[tab]}</span> : null}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <span className="grow" />
      {beside}
    </div>
  );
}
