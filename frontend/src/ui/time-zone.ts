import { useSyncExternalStore } from 'react';
import { onTimeZone, timeZone } from '../lib/times';

/** Returns the time zone for times; components that use it are rendered again when it changes. */
export const useTimeZone = (): string => useSyncExternalStore(onTimeZone, timeZone);
