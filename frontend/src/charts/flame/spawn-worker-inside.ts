/**
 * The worker inside the script, for a report, which is one file and cannot fetch another. Replaces
 * `spawn-worker` in that build.
 */
import FlameInside from './flame.worker.ts?worker&inline';

export const spawnWorker = (): Worker => new FlameInside({ name: 'flame' });
