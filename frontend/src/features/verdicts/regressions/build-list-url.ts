/** The search parameters of the list of builds. */
import * as z from 'zod/mini';
import { addressText, listSearch } from '../../../lib/list-search';

export const readBuildListSearch = z.object({
  ...listSearch,
  branch: addressText,
  service: addressText,
});
export type BuildListSearch = z.infer<typeof readBuildListSearch>;
