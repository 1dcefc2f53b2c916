export { SearchPalette, ShortcutsDialog } from './LazySearch';
export type { PaletteAction } from './palette-entries';
