/** What a dragged row of the drawer carries: its key. Not "Files", so the page's own drop overlay leaves it alone. */
export const ITEM_TYPE = 'application/x-slowpath-file';
