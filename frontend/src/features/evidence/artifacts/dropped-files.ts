/** Reads files and folders from a drop or a file picker, including all subfolders. */
import type { AddedFiles, UnmatchedMetadata } from './tray-types';

/** A drop with more files than this is likely a mistake. */
const MOST = 1000;
const TOO_MANY: UnmatchedMetadata = {
  path: 'Too many files in one drop',
  error: `The first ${MOST.toLocaleString('en')} were added. More than twenty files per side add little.`,
};

/** The files of a drop, and those that could not be read. */
type Drop = { files: AddedFiles[]; strays: UnmatchedMetadata[] };

function readBatch(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function walk(entry: FileSystemEntry, found: Drop): Promise<void> {
  if (entry.name.startsWith('.')) return;
  const path = entry.fullPath.replace(/^\//, '');
  if (found.files.length >= MOST) {
    if (!found.strays.includes(TOO_MANY)) found.strays.push(TOO_MANY);
    return;
  }
  try {
    if (entry.isFile) {
      found.files.push({ file: await fileOf(entry as FileSystemFileEntry), path });
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    // A reader returns at most 100 entries at a time, and an empty list at the end.
    for (let batch = await readBatch(reader); batch.length > 0; batch = await readBatch(reader)) {
      for (const child of batch) await walk(child, found);
    }
  } catch (error) {
    // The remaining files are still read.
    const why = error instanceof Error ? error.message : String(error);
    found.strays.push({ path, error: `The browser could not read the file: ${why}` });
  }
}

/** Reads the files of a drop. It takes the entries before any `await`, which empties the event. */
export async function droppedFiles(data: DataTransfer): Promise<Drop> {
  const entries = Array.from(data.items)
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found: Drop = { files: [], strays: [] };
  for (const { entry, file } of entries) {
    if (entry) await walk(entry, found);
    else if (file) found.files.push({ file, path: file.name });
  }
  return found;
}

export function pickedFiles(files: Iterable<File>): AddedFiles[] {
  return Array.from(files, (file) => ({ file, path: file.webkitRelativePath || file.name }));
}
