/**
 * The command line in the texts that pages copy: the single file that this server offers, or a
 * checkout of Slowpath.
 */
import { useQuery } from '@tanstack/react-query';
import { calls } from '../../../api';

/**
 * A server without a file may still be building it, so the query is sent again each time the page
 * is shown.
 */
const cliQuery = {
  queryKey: ['cli'],
  queryFn: ({ signal }: { signal: AbortSignal }) => calls.cliList({ signal }),
  staleTime: ({ state }: { state: { data?: { platforms: readonly string[] } } }) =>
    state.data?.platforms.length ? Infinity : 0,
};

export type CliCommand = {
  /** The lines that download the command first; empty for a checkout. */
  fetched: string[];
  /** The word or words that start the command. */
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

/** Returns the command line; a checkout until the server has responded. */
export function useCliCommand(): CliCommand {
  const offered = useQuery(cliQuery);
  return cliCommand(window.location.origin, offered.data?.platforms);
}
