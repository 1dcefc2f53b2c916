/**
 * The store of the upload tray: files from a drop to a comparison. It is outside React because it
 * outlives navigation. The server's state of each file (decoding, decoded, refused) is not stored
 * here but queried. The drop overlay and the drawer write to it; the drawer reads it.
 */
import { Problem, isTransient, type Artifact, type Facts } from '../../../api';
import { metadataOwner, isMetadataName, readMetadata } from './metadata-sidecar';
import { updateMetadata, deleteArtifact } from './artifact-queries';
import { sendFile } from './file-upload';
import { guessSides, type SideName } from './side-guess';
import { newItem, replaceArchives } from './tray-items';
import { restoreTray, saveTray } from './tray-storage';
import type { AddedFiles, TrayItem, TrayState, UnmatchedMetadata } from './tray-types';

/** The number of parallel uploads: more would only share the bandwidth. */
const AT_ONCE = 3;
/** React is notified of progress at most this often. */
const NOTIFY_MS = 120;

const fresh = (): TrayState => ({
  open: false,
  batch: crypto.randomUUID(),
  drops: 0,
  items: [],
  labels: { base: '', candidate: '' },
  reason: '',
  strays: [],
});

export function createTray() {
  let state = fresh();
  let pending: ReturnType<typeof setTimeout> | undefined;
  const watchers = new Set<() => void>();
  const running = new Map<string, AbortController>();

  const notifyListeners = () => {
    pending = undefined;
    saveTray(state);
    for (const watcher of watchers) watcher();
  };
  const set = (next: Partial<TrayState>, soon = false) => {
    state = { ...state, ...next };
    if (soon) pending ??= setTimeout(notifyListeners, NOTIFY_MS);
    else notifyListeners();
  };
  const change = (key: string, changed: Partial<TrayItem>, soon = false) => {
    set(
      { items: state.items.map((item) => (item.key === key ? { ...item, ...changed } : item)) },
      soon,
    );
  };
  const itemOf = (key: string) => state.items.find((item) => item.key === key);

  const sendOne = async (item: TrayItem & { file: File }): Promise<void> => {
    const stop = new AbortController();
    running.set(item.key, stop);
    change(item.key, { phase: 'sending', error: null });
    try {
      const artifact = await sendFile(
        { file: item.file, name: item.name, batch: state.batch, facts: item.facts },
        {
          signal: stop.signal,
          onSent: (sentBytes) => change(item.key, { sentBytes }, true),
        },
      );
      running.delete(item.key);
      arrived(item, artifact);
    } catch (error) {
      running.delete(item.key);
      if (stop.signal.aborted) return;
      change(item.key, { phase: 'stopped', error });
    }
    sendNext();
  };

  const arrived = (sent: TrayItem, artifact: Artifact) => {
    change(sent.key, {
      phase: 'sent',
      artifactId: artifact.id,
      batch: artifact.batch,
      sentBytes: sent.sizeBytes,
    });
    // Metadata that was added while the file was being sent is sent now.
    const now = itemOf(sent.key);
    if (now && now.facts !== sent.facts) void saveFacts(now);
  };

  const sendNext = () => {
    for (const item of state.items) {
      if (running.size >= AT_ONCE) return;
      const { file } = item;
      if (item.phase === 'waiting' && file && !running.has(item.key))
        void sendOne({ ...item, file });
    }
  };

  const saveFacts = async (item: TrayItem) => {
    if (item.artifactId === null) return;
    try {
      await updateMetadata(item.artifactId, item.facts);
      change(item.key, { error: null });
    } catch (error) {
      change(item.key, { error });
    }
  };

  /** Guesses the sides of all files again, except those that the user placed. */
  const guessAgain = (items: TrayItem[]): Pick<TrayState, 'items' | 'labels' | 'reason'> => {
    const guess = guessSides(items.map(({ path, modified, drop }) => ({ path, modified, drop })));
    return {
      items: items.map((item, index) =>
        item.placed ? item : { ...item, side: guess.sides[index] ?? null },
      ),
      labels: guess.labels,
      reason: guess.reason,
    };
  };

  const giveFacts = (key: string, facts: Facts) => {
    change(key, { facts });
    const item = itemOf(key);
    if (item) void saveFacts(item);
  };

  const attach = async (sidecars: AddedFiles[]) => {
    const strays = [...state.strays];
    for (const { file, path } of sidecars) {
      const owner = state.items.find((item) => item.path === metadataOwner(path));
      const read = readMetadata(await file.text());
      if (read.error !== null) strays.push({ path, error: read.error });
      else if (!owner)
        strays.push({
          path,
          error: `The file ${metadataOwner(path)} is missing. Drop both together.`,
        });
      else giveFacts(owner.key, { ...owner.facts, ...read.facts });
    }
    set({ strays });
  };

  return {
    subscribe: (watcher: () => void) => {
      watchers.add(watcher);
      return () => {
        watchers.delete(watcher);
      };
    },
    snapshot: () => state,
    setOpen: (open: boolean) => set({ open }),
    /**
     * Adds files and starts to send them. Sides are guessed unless the files were dropped on one;
     * sidecars are attached to their files.
     */
    add: async (
      dropped: AddedFiles[],
      strays: UnmatchedMetadata[] = [],
      side?: SideName,
    ): Promise<void> => {
      const files = dropped.filter(({ file }) => !isMetadataName(file.name));
      const sidecars = dropped.filter(({ file }) => isMetadataName(file.name));
      const known = new Set(
        state.items.map(({ path, sizeBytes, modified }) => `${path} ${sizeBytes} ${modified}`),
      );
      const items = files
        .filter(({ path, file }) => !known.has(`${path} ${file.size} ${file.lastModified}`))
        .map(({ file, path }) => newItem(file, path, state.drops, side));
      set({
        open: true,
        drops: state.drops + (items.length > 0 ? 1 : 0),
        strays: [...state.strays, ...strays],
        ...guessAgain([...state.items, ...items]),
      });
      // Sidecars are attached first, so that their metadata is sent with the file.
      await attach(sidecars);
      sendNext();
    },
    /** Replaces unpacked archives with their files. */
    unpackArchives: (artifacts: ReadonlyMap<string, Artifact>): void => {
      const next = replaceArchives(state.items, artifacts);
      if (next === null) return;
      set({ strays: [...state.strays, ...next.skipped], ...guessAgain(next.items) });
    },
    /** Removes files whose artifacts were deleted elsewhere. */
    forget: (artifactIds: ReadonlySet<string>): void => {
      const items = state.items.filter(({ artifactId }) => !artifactIds.has(artifactId ?? ''));
      if (items.length < state.items.length) set({ items });
    },
    place: (keys: readonly string[], side: SideName | null) =>
      set({
        items: state.items.map((item) =>
          keys.includes(item.key) ? { ...item, side, placed: true } : item,
        ),
      }),
    swap: () => {
      const other = { base: 'candidate', candidate: 'base' } as const;
      set({
        items: state.items.map((item) => ({
          ...item,
          placed: true,
          side: item.side && other[item.side],
        })),
        labels: { base: state.labels.candidate, candidate: state.labels.base },
      });
    },
    giveFacts,
    tryAgain: (key: string) => {
      change(key, { phase: 'waiting', error: null });
      sendNext();
    },
    remove: (keys: readonly string[]) => {
      for (const key of keys) {
        const item = itemOf(key);
        running.get(key)?.abort();
        running.delete(key);
        if (item?.artifactId) void deleteArtifact(item.artifactId).catch(() => undefined);
      }
      set({ items: state.items.filter(({ key }) => !keys.includes(key)) });
      sendNext();
    },
    /**
     * Switches to the tray of a team, also after a reload: stops all uploads, so that no file
     * reaches another team, and restores the stored tray of the team and tab.
     */
    switchTeam: (team: string) => {
      for (const stop of running.values()) stop.abort();
      running.clear();
      set({ ...fresh(), ...restoreTray(team) });
    },
    /** Removes all files except those that are still being sent. */
    clear: () => {
      const left = state.items.filter(
        (item) => item.phase === 'waiting' || item.phase === 'sending',
      );
      if (left.length > 0) set({ items: left, strays: [] });
      else set(fresh());
    },
  };
}

/** Returns whether a retry of the same action may succeed after this error. */
export const mayPass = (error: unknown): boolean =>
  isTransient(error) || !(error instanceof Problem);

export const tray = createTray();
