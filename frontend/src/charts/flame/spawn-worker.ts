/** The worker as a separate file. */
export const spawnWorker = (): Worker =>
  new Worker(new URL('./flame.worker.ts', import.meta.url), { type: 'module', name: 'flame' });
