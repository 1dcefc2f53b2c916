/**
 * The data type of a dragged row of the drawer; its data is the row's key. It is not "Files", so
 * the overlay of the page ignores it.
 */
export const ITEM_TYPE = 'application/x-slowpath-file';
