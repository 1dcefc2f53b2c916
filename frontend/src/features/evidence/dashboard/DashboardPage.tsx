/** The dashboard: services in request order, requests left, latency right, one time axis. */
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, type ReactNode } from 'react';
import type { CursorBus } from '../../../engine/dashboard/cursor-bus';
import type { Dashboard, DashboardRow } from '../../../engine/dashboard/dashboard-file';
import { spanOf } from '../../../engine/dashboard/time-grid';
import { ErrorState, PageHeader, useTitle } from '../../../ui';
import { DashboardRows, type RowAction } from './DashboardRows';
import { DashboardToolbar } from './DashboardToolbar';
import { ComparisonBlockers } from './ComparisonBlockers';
import { DeploymentPanel, type DashboardLinks } from './DeploymentPanel';
import { EmptyDashboard } from './EmptyDashboard';
import { DashboardHeadline } from './DashboardHeadline';
import { AnnotationsPanel } from './AnnotationsPanel';
import { DashboardSkeleton } from './DashboardSkeleton';
import { TimeRangeBar } from './TimeRangeBar';
import classes from './dashboard.module.css';
import { dashboardQuery } from './dashboard-queries';
import { zoomed, type DashboardView } from './dashboard-url';
import {
  useDeploymentComparison,
  type DeploymentComparisonState,
} from './use-deployment-comparison';
import { useCursorBus, useLiveRefresh } from './use-live-refresh';
import { useRangeSelection, type RangeSelection } from './use-range-selection';
import { explainUnavailableRange } from './time-ranges';

export type DashboardPageProps = {
  team: { id: string; mayWrite: boolean; mayManage: boolean };
  view: DashboardView;
  onView: (view: DashboardView) => void;
  onComparison: (id: string) => void;
  settingsLink: (tab: 'metrics' | 'tokens', words: string) => ReactNode;
  links: DashboardLinks;
  /** Returns a link to the service map of an environment. */
  mapLink: (environmentId: string, words: string) => ReactNode;
  /** Returns more actions for the row of a service. */
  rowAction?: RowAction;
};

/** Returns callbacks that change one part of the view; stable while the view is unchanged. */
function useViewChanges(view: DashboardView, onView: (view: DashboardView) => void) {
  const change = useCallback(
    (changed: Partial<DashboardView>) => onView({ ...view, ...changed }),
    [onView, view],
  );
  const onZoom = useCallback(
    (range: { fromMs: number; toMs: number }) => change({ range: zoomed(range) }),
    [change],
  );
  const onDeploy = useCallback((deploy: string) => change({ deploy, note: '' }), [change]);
  const onNote = useCallback((note: string) => change({ note, deploy: '' }), [change]);
  return { change, onZoom, onDeploy, onNote };
}

/** Handles a drag over a panel: zooms to the range, or selects it for a comparison. */
function useBrush(
  board: Dashboard | undefined,
  bus: CursorBus,
  { wants, chosen, refuse }: RangeSelection,
  onZoom: (range: { fromMs: number; toMs: number }) => void,
) {
  return useCallback(
    (fromMs: number, toMs: number, service: DashboardRow['service']) => {
      bus.move(null);
      if (wants === 'zoom') {
        onZoom({ fromMs, toMs });
        return;
      }
      const row = board?.rows.find((each) => each.service.id === service.id);
      const why = row ? explainUnavailableRange(row) : null;
      if (why === null) chosen({ fromMs, toMs, service });
      else refuse(`${service.name}: ${why}`);
    },
    [bus, onZoom, wants, chosen, refuse, board],
  );
}

type SidePanelsProps = Pick<DashboardPageProps, 'view' | 'links'> & {
  board: Dashboard;
  compare: DeploymentComparisonState;
  mayWrite: boolean;
  onChange: (changed: Partial<DashboardView>) => void;
  onNote: (note: string) => void;
  onSaved: () => Promise<unknown>;
};

/** The drawers of a deployment and of annotations, each open if the URL names one. */
function SidePanels(props: SidePanelsProps) {
  const { board, view, compare, links, mayWrite, onChange, onNote, onSaved } = props;
  return (
    <>
      <DeploymentPanel
        id={view.deploy}
        board={board}
        compare={compare}
        links={links}
        mayWrite={mayWrite}
        onClose={() => onChange({ deploy: '' })}
        onNote={onNote}
      />
      {board.environment && (
        <AnnotationsPanel
          open={view.note}
          board={board}
          environment={board.environment}
          mayWrite={mayWrite}
          onOpen={onNote}
          onSaved={onSaved}
        />
      )}
    </>
  );
}

export default function DashboardPage(props: DashboardPageProps) {
  const { team, view, onView, onComparison, settingsLink, links, mapLink } = props;
  const client = useQueryClient();
  const bus = useCursorBus();
  const live = useLiveRefresh(bus, view.range);
  const query = useQuery({ ...dashboardQuery(view), refetchInterval: live.refetchMs });
  const board = query.data;
  const compare = useDeploymentComparison(onComparison);
  useTitle(board?.environment ? `Dashboard of ${board.environment.name}` : 'Dashboard');
  const { change, onZoom, onDeploy, onNote } = useViewChanges(view, onView);
  const refresh = useCallback(
    () => client.invalidateQueries({ queryKey: ['dashboard'] }),
    [client],
  );
  const windows = useRangeSelection(board?.environment?.id ?? '', onComparison);
  const onBrush = useBrush(board, bus, windows, onZoom);
  const span = useMemo(() => (board ? spanOf(board.grid) : null), [board]);

  return (
    <>
      {board && !board.empty ? (
        <DashboardHeadline
          board={board}
          onDeploy={onDeploy}
          compare={compare}
          mayWrite={team.mayWrite}
        />
      ) : (
        <PageHeader
          title="Dashboard"
          sub="All services of an environment in request order, with latency changes and deployments."
        />
      )}
      <ComparisonBlockers compare={compare} board={board ?? null} filesLink={links.files} />
      <DashboardToolbar
        view={view}
        board={board ?? null}
        span={span}
        live={live}
        onChange={change}
        onNotes={onNote}
        onWindows={team.mayWrite ? windows.begin : null}
        mapLink={mapLink}
      />
      <TimeRangeBar windows={windows} />
      {query.error && (
        <div className={classes.inset}>
          <ErrorState
            what={board ? 'Could not refresh the dashboard' : 'Could not load the dashboard'}
            error={query.error}
            action={<Button onClick={() => void query.refetch()}>Try again</Button>}
          />
        </div>
      )}
      {!board && query.isPending && <DashboardSkeleton />}
      {board?.empty && (
        <EmptyDashboard
          empty={board.empty}
          onRange={() => change({ range: '7d' })}
          team={team}
          settingsLink={settingsLink}
          environment={board.environment?.name ?? 'production'}
        />
      )}
      {board && !board.empty && (
        <DashboardRows
          board={board}
          view={view}
          bus={bus}
          stale={query.isPlaceholderData}
          mayWrite={team.mayWrite}
          onChange={change}
          onBrush={onBrush}
          onDeploy={onDeploy}
          onNote={onNote}
          onOrdered={refresh}
          eventLink={links.event}
          action={props.rowAction}
        />
      )}
      {board && (
        <SidePanels
          board={board}
          view={view}
          compare={compare}
          links={links}
          mayWrite={team.mayWrite}
          onChange={change}
          onNote={onNote}
          onSaved={refresh}
        />
      )}
    </>
  );
}
