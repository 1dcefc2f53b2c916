import { useSyncExternalStore } from 'react';
import { onTimeZone, timeZone } from '../lib/times';

/** The zone that times are shown in; what uses it is drawn again when it changes. */
export const useTimeZone = (): string => useSyncExternalStore(onTimeZone, timeZone);
