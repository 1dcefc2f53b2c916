/** The command line as pages copy it: the single file of this server where it has one, else a checkout of Slowpath. */
import { useQuery } from '@tanstack/react-query';
import { calls } from '../../../api';

/** A server that has no file yet may be building it, so it is asked again when the page is shown again. */
const cliQuery = {
  queryKey: ['cli'],
  queryFn: ({ signal }: { signal: AbortSignal }) => calls.cliList({ signal }),
  staleTime: ({ state }: { state: { data?: { platforms: readonly string[] } } }) =>
    state.data?.platforms.length ? Infinity : 0,
};

export type CliCommand = {
  /** The lines that fetch the command first: none for a checkout. */
  fetched: string[];
  /** What starts the command. */
  word: string;
};

export const CHECKOUT: CliCommand = {
  fetched: [],
  word: 'npm --prefix ~/slowpath run --silent slowpath --',
};

export function cliCommand(origin: string, platforms: readonly string[] = []): CliCommand {
  const [platform] = platforms;
  if (platform === undefined) return CHECKOUT;
  return {
    fetched: [`curl -fsSo slowpath ${origin}/cli/${platform} && chmod +x slowpath`],
    word: './slowpath',
  };
}

/** The checkout until the server has answered. */
export function useCliCommand(): CliCommand {
  const offered = useQuery(cliQuery);
  return cliCommand(window.location.origin, offered.data?.platforms);
}
