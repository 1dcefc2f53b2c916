import { lazy } from 'react';

export const SearchPalette = lazy(() => import('./SearchPalette'));
export const ShortcutsDialog = lazy(() => import('./ShortcutsDialog'));
