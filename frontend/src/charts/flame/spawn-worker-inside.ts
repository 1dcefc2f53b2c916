/**
 * The worker inside the script: a report that is one file has no other to fetch. Replaces `spawn-worker` in that
 * build.
 */
import FlameInside from './flame.worker.ts?worker&inline';

export const spawnWorker = (): Worker => new FlameInside({ name: 'flame' });
