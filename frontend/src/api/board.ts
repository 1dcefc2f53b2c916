/** The board's numbers as one column file. */
import { client } from './generated/client.gen';
import { asBytes } from './client';

export type BoardWanted = {
  environment_id?: string;
  from: number;
  to: number;
  against: 'none' | 'week' | 'before-deploy';
  instances: boolean;
};

export async function readBoardBytes(
  query: BoardWanted,
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const told = await client.get({
    url: '/api/v1/board',
    responseStyle: 'data',
    query,
    signal,
    ...asBytes,
  });
  return told as unknown as ArrayBuffer;
}
