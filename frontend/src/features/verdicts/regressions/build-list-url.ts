/** What a link to the list of builds restores. */
import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string().check(z.maxLength(200))), undefined);

export const readBuildListSearch = z.object({ q: text, branch: text, service: text });
export type BuildListSearch = z.infer<typeof readBuildListSearch>;
