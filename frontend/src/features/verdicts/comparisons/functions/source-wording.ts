/** Texts on the source of a function. */
import type { FunctionSource } from '../../../../api';
import { shortCommit } from '../../../../lib/commits';

type Reason = NonNullable<FunctionSource['reason']>;

const ADD = 'Add its repository in Settings > Integrations.';

/** Why there is no source text, and what helps. */
export const SOURCE_REASONS: Record<Reason, string> = {
  'no-file': 'The profiles do not name the file of this function.',
  'unknown-file':
    'The file belongs to no module of the build. Build with -trimpath, or send go.mod.',
  'no-commit': 'The commit of this side is unknown. Upload with a build, or with --commit.',
  'several-commits': 'The profiles of this side are of several commits.',
  'unknown-commit': 'The commit is unknown in its repository. Fetch the repository.',
  'no-repository': `No repository is configured for this file. ${ADD}`,
  'no-version': 'The version of this module is unknown. Send go.mod with the build.',
  'not-fetched': 'Only commit metadata of this repository is pushed. Give it a URL to fetch from.',
  'no-mirror': 'No mirror has this commit. Fetch the repository in Settings > Integrations.',
  'not-in-repository': 'The repository has no such text file at this commit.',
  'not-declared':
    'The file does not declare this function at this commit, and no changed file has one like it.',
  'too-large': 'The file is larger than 1 MiB.',
  'no-lines': 'The measured lines are not in the file at this commit. Generated code?',
};

/** Returns the origin of a source text: module and version, otherwise the commit. */
export function sourceOrigin({ module, version, commit, origin }: FunctionSource): string {
  if (origin === 'standard-library') return `Go ${version?.replace('go', '') ?? ''}`.trim();
  if (origin === 'dependency') return `${module ?? ''} ${version ?? ''}`.trim();
  return shortCommit(commit ?? '');
}
