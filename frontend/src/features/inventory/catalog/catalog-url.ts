/** What links to the lists of services and of deployments restore. */
import * as z from 'zod/mini';
import { addressText, listSearch } from '../../../lib/list-search';

export const readDeploymentsSearch = z.object({
  ...listSearch,
  service: addressText,
  environment: addressText,
});
export type DeploymentsSearch = z.infer<typeof readDeploymentsSearch>;
