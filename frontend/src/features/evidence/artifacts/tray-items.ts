/** Creates the rows of the tray: for dropped files, and for the files of an unpacked archive. */
import type { Artifact } from '../../../api';
import { countOf } from '../../../ui';
import type { SideName } from './side-guess';
import type { TrayItem, UnmatchedMetadata } from './tray-types';

export function newItem(file: File, path: string, drop: number, side?: SideName): TrayItem {
  return {
    key: crypto.randomUUID(),
    name: file.name,
    path,
    file,
    sizeBytes: file.size,
    modified: file.lastModified,
    drop,
    side: side ?? null,
    placed: side !== undefined,
    phase: 'waiting',
    sentBytes: 0,
    error: null,
    artifactId: null,
    batch: null,
    facts: {},
  };
}

/** Returns the folders of a path, without the file name; '' if there are none. */
export const folderOf = (path: string): string => path.split('/').slice(0, -1).join('/');

/** Returns the row of a file of an archive, on the side to which the user moved the archive. */
function memberItem(archive: TrayItem, artifact: Artifact): TrayItem {
  const inside = artifact.folder ? `${artifact.folder}/${artifact.name}` : artifact.name;
  return {
    ...archive,
    key: artifact.id,
    name: artifact.name,
    path: `${archive.path}/${inside}`,
    file: null,
    sizeBytes: artifact.size_bytes,
    sentBytes: artifact.size_bytes,
    artifactId: artifact.id,
    facts: {},
  };
}

const REASONS: Record<string, string> = {
  'nested-archive': 'an archive in an archive',
  'too-large': 'above the size limit',
  'not-a-regular-file': 'a link',
  empty: 'empty',
  encrypted: 'encrypted',
  'unknown-compression': 'compressed by an unsupported method',
  damaged: 'damaged',
};

function skippedText(archive: TrayItem, artifact: Artifact): UnmatchedMetadata[] {
  const { skipped = [], skipped_files: count = 0, warnings = [] } = artifact.archive ?? {};
  const list = skipped.map(({ path, reason }) => `${path} (${REASONS[reason] ?? reason})`);
  const more = count > list.length ? ` and ${count - list.length} more` : '';
  return [
    ...(count > 0
      ? [
          {
            path: archive.name,
            error: `${countOf(count, 'file')} skipped: ${list.join(', ')}${more}.`,
          },
        ]
      : []),
    ...warnings.map((error) => ({ path: archive.name, error })),
  ];
}

type Unpacked = { items: TrayItem[]; skipped: UnmatchedMetadata[] };

/** Returns the rows with unpacked archives replaced by their files; null if there are none. */
export function replaceArchives(
  items: TrayItem[],
  artifacts: ReadonlyMap<string, Artifact>,
): Unpacked | null {
  const skipped: UnmatchedMetadata[] = [];
  const unpacked: string[] = [];
  const next = items.flatMap((item) => {
    const artifact = item.artifactId ? artifacts.get(item.artifactId) : undefined;
    if (!artifact?.archive || artifact.state !== 'decoded') return [item];
    const members = [...artifacts.values()].filter(({ archive_id }) => archive_id === artifact.id);
    if (members.length === 0) return [item];
    unpacked.push(artifact.id);
    skipped.push(...skippedText(item, artifact));
    return members.map((member) => memberItem(item, member));
  });
  return unpacked.length > 0 ? { items: next, skipped } : null;
}
