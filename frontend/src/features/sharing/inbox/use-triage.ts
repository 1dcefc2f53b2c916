/** Actions on items, with the requests that undo each of them. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { InboxAction, InboxActionIn, InboxItemRef } from '../../../api';
import { actOnItems } from './inbox-queries';
import { doneText, itemsText, type Person } from './inbox-wording';

type DoneAction = {
  sentence: string;
  /** The reasons why some of the items were not changed. */
  problems: string[];
  undo: InboxActionIn[];
};

export type Triage = {
  /** The last action that was not undone. */
  done: DoneAction | null;
  error: Error | null;
  isPending: boolean;
  /** @param onDone is called when the action was saved. */
  act: (items: readonly InboxItemRef[], action: InboxAction, onDone?: () => void) => void;
  undo: () => void;
};

/** The query keys of all data that shows items of the inbox. */
const STALE = ['inbox', 'regression', 'production-event', 'bisect', 'dashboard'];

/** The number of actions that can be undone, one after the other. */
const UNDO_MOST = 50;

type Act = { request: InboxActionIn; onDone?: (() => void) | undefined };

export function useTriage(people: readonly Person[]): Triage {
  const client = useQueryClient();
  const [stack, setStack] = useState<DoneAction[]>([]);
  const refresh = () =>
    Promise.all(STALE.map((key) => client.invalidateQueries({ queryKey: [key] })));
  const act = useMutation({
    mutationFn: ({ request }: Act) => actOnItems(request),
    onSuccess: ({ results, undo }, { request: { action }, onDone }) => {
      const refused = results.flatMap(({ problem }) => (problem ? [problem] : []));
      const changed = results.length - refused.length;
      const done = {
        sentence: changed > 0 ? doneText(action, changed, people) : 'Nothing was changed',
        problems: refusalTexts(refused),
        undo,
      };
      setStack((before) => [...before, done].slice(-UNDO_MOST));
      // Not in the options of `mutate`: those run after the refresh, and never after an undo.
      onDone?.();
    },
    onSettled: refresh,
  });
  const undo = useMutation({
    mutationFn: async ({ undo: requests }: DoneAction) => {
      for (const request of requests) await actOnItems(request);
    },
    onSuccess: (_, undone) => setStack((before) => before.filter((each) => each !== undone)),
    onSettled: refresh,
  });
  const done = stack.at(-1) ?? null;
  return {
    done,
    error: act.error ?? undo.error,
    isPending: act.isPending || undo.isPending,
    act: (items, action, onDone) => {
      undo.reset();
      const refs = items.map(({ kind, id }) => ({ kind, id }));
      act.mutate({ request: { items: refs, action }, onDone });
    },
    undo: () => {
      if (!done || done.undo.length === 0 || undo.isPending) return;
      act.reset();
      undo.mutate(done);
    },
  };
}

/** Returns one sentence for each reason: "2 items were not changed: It was deleted." */
function refusalTexts(problems: { title: string; detail: string }[]): string[] {
  const counts = new Map<string, number>();
  for (const { title, detail } of problems) {
    const reason = detail || title;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(
    ([reason, count]) =>
      `${itemsText(count)} ${count === 1 ? 'was' : 'were'} not changed: ${reason}`,
  );
}
