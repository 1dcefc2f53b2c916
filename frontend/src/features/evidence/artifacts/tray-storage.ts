/**
 * Stores the uploaded files of the tray in the session storage, per team, so that they are there
 * after a reload. Files that are still being sent are lost; the page asks before it is left.
 */
import * as z from 'zod/mini';
import { getCurrentTeam } from '../../../api';
import type { TrayState } from './tray-types';

const keyOf = (team: string): string => `slowpath-tray-${team}`;
/** A tray with more files than this is not stored. */
const MOST_ITEMS = 1000;

const side = z.nullable(z.enum(['base', 'candidate']));
const savedItem = z.object({
  name: z.string(),
  path: z.string(),
  sizeBytes: z.number(),
  modified: z.number(),
  drop: z.number(),
  side,
  placed: z.boolean(),
  artifactId: z.uuid(),
  batch: z.uuid(),
});
const savedTray = z.object({
  open: z.boolean(),
  drops: z.number(),
  labels: z.object({ base: z.string(), candidate: z.string() }),
  reason: z.string(),
  items: z.array(savedItem).check(z.maxLength(MOST_ITEMS)),
});

export function saveTray({ open, drops, labels, reason, items }: TrayState): void {
  const team = getCurrentTeam();
  if (team === null) return;
  const received = items.filter(({ artifactId, batch }) => artifactId !== null && batch !== null);
  try {
    if (received.length === 0) sessionStorage.removeItem(keyOf(team));
    else {
      const saved = savedTray.parse({ open, drops, labels, reason, items: received });
      sessionStorage.setItem(keyOf(team), JSON.stringify(saved));
    }
  } catch {
    // Storage may be full or forbidden: then a reload empties the tray.
  }
}

/** Returns the stored tray of this team; null if there is none or it is invalid. */
export function restoreTray(
  team: string,
): Pick<TrayState, 'open' | 'drops' | 'labels' | 'reason' | 'items'> | null {
  try {
    const saved = savedTray.parse(JSON.parse(sessionStorage.getItem(keyOf(team)) ?? 'null'));
    return {
      ...saved,
      items: saved.items.map((item) => ({
        ...item,
        key: item.artifactId,
        file: null,
        phase: 'sent',
        sentBytes: item.sizeBytes,
        error: null,
        facts: {},
      })),
    };
  } catch {
    return null;
  }
}
