import { useSyncExternalStore } from 'react';
import { countOf } from '../../../ui';
import { tray } from './tray-store';
import type { TrayItem, TrayState } from './tray-types';

export function useTray(): TrayState {
  return useSyncExternalStore(tray.subscribe, tray.snapshot);
}

/** Returns the text of the button that opens the drawer, such as "Uploading 3 files". */
export function uploadButtonText(items: TrayItem[]): string {
  const going = items.filter((item) => item.phase === 'waiting' || item.phase === 'sending').length;
  if (going > 0) return `Uploading ${countOf(going, 'file')}`;
  return items.length > 0 ? `Upload · ${items.length}` : 'Upload';
}
