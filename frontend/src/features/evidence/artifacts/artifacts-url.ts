/** The URL parameters of the list of artifacts. */
import * as z from 'zod/mini';
import { addressChoice, addressText, listSearch } from '../../../lib/list-search';

export const ARTIFACT_STATES = ['received', 'decoding', 'decoded', 'invalid', 'failed'] as const;

export const readArtifactsSearch = z.object({
  ...listSearch,
  kind: addressText,
  state: addressChoice(ARTIFACT_STATES),
});
export type ArtifactsSearch = z.infer<typeof readArtifactsSearch>;
