/** The service board: requests left, latency right, rows as requests flow; one time for all. */
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, type ReactNode } from 'react';
import type { BoardRow } from '../../engine/board-file';
import { spanOf } from '../../engine/board-time';
import { ErrorState, PageHead, useTitle } from '../../ui';
import { BoardRows } from './BoardRows';
import { BoardToolbar } from './BoardToolbar';
import { Compared } from './Compared';
import { DeployPanel } from './DeployPanel';
import { EmptyBoard } from './EmptyBoard';
import { Headline } from './Headline';
import { NotesPanel } from './NotesPanel';
import { BoardSkeleton } from './Skeleton';
import { WindowBar } from './WindowBar';
import classes from './board.module.css';
import { boardQuery } from './queries';
import { zoomed, type BoardView } from './url';
import { useCompareAround } from './use-compare';
import { useCursorBus, useLive } from './use-live';
import { useWindows } from './use-windows';
import { whyNoWindow } from './windows';

export type BoardPageProps = {
  team: { id: string; mayWrite: boolean; mayManage: boolean };
  view: BoardView;
  onView: (view: BoardView) => void;
  onComparison: (id: string) => void;
  settingsLink: (tab: 'metrics' | 'tokens', words: string) => ReactNode;
  filesLink: (words: string) => ReactNode;
  /** A link to the map of an environment's services. */
  mapLink: (environmentId: string, words: string) => ReactNode;
  /** What else can be done with the row of a service. */
  rowAction?: (service: BoardRow['service']) => ReactNode;
};

export default function BoardPage(props: BoardPageProps) {
  const { team, view, onView, onComparison, settingsLink, filesLink, mapLink } = props;
  const client = useQueryClient();
  const bus = useCursorBus();
  const live = useLive(bus, view.range);
  const query = useQuery({ ...boardQuery(view), refetchInterval: live.refetchMs });
  const board = query.data;
  const compare = useCompareAround(onComparison);
  useTitle(board?.environment ? `Board of ${board.environment.name}` : 'Board');
  const change = useCallback(
    (changed: Partial<BoardView>) => {
      onView({ ...view, ...changed });
    },
    [onView, view],
  );
  const refresh = useCallback(() => client.invalidateQueries({ queryKey: ['board'] }), [client]);
  const windows = useWindows(board?.environment?.id ?? '', onComparison);
  const { wants, chosen, refuse } = windows;
  const onBrush = useCallback(
    (fromMs: number, toMs: number, service: BoardRow['service']) => {
      bus.move(null);
      if (wants === 'zoom') {
        change({ range: zoomed({ fromMs, toMs }) });
        return;
      }
      const row = board?.rows.find((each) => each.service.id === service.id);
      const why = row ? whyNoWindow(row) : null;
      if (why === null) chosen({ fromMs, toMs, service });
      else refuse(`${service.name}: ${why}`);
    },
    [bus, change, wants, chosen, refuse, board],
  );
  const onDeploy = useCallback(
    (deploy: string) => {
      change({ deploy, note: '' });
    },
    [change],
  );
  const onNote = useCallback(
    (note: string) => {
      change({ note, deploy: '' });
    },
    [change],
  );
  const span = useMemo(() => (board ? spanOf(board.grid) : null), [board]);

  return (
    <>
      {board && !board.empty ? (
        <Headline board={board} onDeploy={onDeploy} compare={compare} mayWrite={team.mayWrite} />
      ) : (
        <PageHead
          title="Board"
          sub="Every service of an environment in the order in which requests flow: where latency jumps, and at which deploy."
        />
      )}
      <Compared compare={compare} board={board ?? null} filesLink={filesLink} />
      <BoardToolbar
        view={view}
        board={board ?? null}
        span={span}
        live={live}
        onChange={change}
        onNotes={onNote}
        onWindows={team.mayWrite ? windows.begin : null}
        mapLink={mapLink}
      />
      <WindowBar windows={windows} />
      {query.error && (
        <div className={classes.inset}>
          <ErrorState
            what={board ? 'The board could not be read again' : 'The board could not be read'}
            error={query.error}
            action={<Button onClick={() => void query.refetch()}>Try again</Button>}
          />
        </div>
      )}
      {!board && query.isPending && <BoardSkeleton />}
      {board?.empty && (
        <EmptyBoard
          empty={board.empty}
          onRange={() => {
            change({ range: '7d' });
          }}
          team={team}
          settingsLink={settingsLink}
          environment={board.environment?.name ?? 'production'}
        />
      )}
      {board && !board.empty && (
        <BoardRows
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
          action={props.rowAction}
        />
      )}
      {board && (
        <DeployPanel
          id={view.deploy}
          board={board}
          compare={compare}
          filesLink={filesLink}
          mayWrite={team.mayWrite}
          onClose={() => {
            change({ deploy: '' });
          }}
          onNote={onNote}
        />
      )}
      {board?.environment && (
        <NotesPanel
          open={view.note}
          board={board}
          environment={board.environment}
          mayWrite={team.mayWrite}
          onOpen={onNote}
          onKept={refresh}
        />
      )}
    </>
  );
}
