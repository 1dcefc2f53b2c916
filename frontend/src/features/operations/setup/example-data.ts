/** Example data of a team: its state, and what the team has received besides. */
import { queryOptions } from '@tanstack/react-query';
import { calls, type ExampleData } from '../../../api';
import { shortCommit } from '../../../lib/commits';
import type { Received, StepId } from './setup-state';

const EVERY_MS = 1_000;

export const isExampleBusy = ({ state }: ExampleData): boolean =>
  state === 'adding' || state === 'removing';

export const exampleQuery = queryOptions({
  queryKey: ['example-data'],
  queryFn: ({ signal }) => calls.exampleDataGet({ signal }),
  refetchInterval: ({ state }) => (state.data && isExampleBusy(state.data) ? EVERY_MS : false),
});

export const addExampleData = () => calls.exampleDataAdd();
export const removeExampleData = () => calls.exampleDataRemove();

/**
 * Returns what a step received without the example data. A step without example data is returned
 * unchanged.
 */
export function withoutExample(
  id: StepId,
  received: Received | undefined,
  example: ExampleData,
): Received | undefined {
  if (!received || example.state === 'absent') return received;
  if (id === 'metrics') {
    const series = Number.parseInt(received.words.replace(/,/gu, ''), 10) - example.series;
    return series > 0
      ? { words: `${series.toLocaleString('en-GB')} time series`, at: received.at }
      : null;
  }
  if (id !== 'upload' && id !== 'build' && id !== 'deployment') return received;
  const own = example.own[id === 'upload' ? 'artifact' : id];
  if (!own) return null;
  return {
    words: id === 'build' ? shortCommit(own.name) : id === 'upload' ? own.name : 'recorded',
    at: own.at,
  };
}
