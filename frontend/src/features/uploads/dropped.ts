/** Files and folders out of a drop or a file picker, folders walked to the end. */
import type { Dropped } from './state';

/** A folder of more files than this was dropped by mistake. */
const MOST = 1000;

function readBatch(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => {
    reader.readEntries(resolve, reject);
  });
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}

async function walk(entry: FileSystemEntry, found: Dropped[]): Promise<void> {
  if (found.length >= MOST || entry.name.startsWith('.')) return;
  if (entry.isFile) {
    const file = await fileOf(entry as FileSystemFileEntry);
    found.push({ file, path: entry.fullPath.replace(/^\//, '') });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader gives at most 100 entries at a time, and an empty list at the end.
  for (let batch = await readBatch(reader); batch.length > 0; batch = await readBatch(reader)) {
    for (const child of batch) await walk(child, found);
  }
}

/** The entries must be taken from the event at once: it is empty after the first pause. */
export async function droppedFiles(data: DataTransfer): Promise<Dropped[]> {
  const entries = Array.from(data.items)
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found: Dropped[] = [];
  for (const { entry, file } of entries) {
    if (entry) await walk(entry, found);
    else if (file) found.push({ file, path: file.name });
  }
  return found;
}

export function pickedFiles(files: Iterable<File>): Dropped[] {
  return Array.from(files, (file) => ({ file, path: file.webkitRelativePath || file.name }));
}
