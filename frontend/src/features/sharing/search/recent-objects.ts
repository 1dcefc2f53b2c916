/** The objects that were last opened from the command palette in this browser, by team. */
import { z } from 'zod/mini';
import { getPreference, setPreference } from '../../../ui';

const MOST = 8;
const savedObjects = z.array(
  z.object({ type: z.string(), title: z.string(), subtitle: z.string(), path: z.string() }),
);
export type RecentObject = z.infer<typeof savedObjects>[number];

const nameOf = (team: string) => `recent-${team}`;

export function recentObjects(team: string): RecentObject[] {
  try {
    return savedObjects.parse(JSON.parse(getPreference(nameOf(team)) ?? '[]')).slice(0, MOST);
  } catch {
    return []; // saved by another version
  }
}

export function saveRecentObject(team: string, opened: RecentObject): void {
  const { type, title, subtitle, path } = opened;
  const others = recentObjects(team).filter((each) => each.path !== path);
  const saved = [{ type, title, subtitle, path }, ...others].slice(0, MOST);
  setPreference(nameOf(team), JSON.stringify(saved));
}
