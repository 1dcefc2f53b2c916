/** The worker as a file of its own. */
export const spawnWorker = (): Worker =>
  new Worker(new URL('./flame.worker.ts', import.meta.url), { type: 'module', name: 'flame' });
