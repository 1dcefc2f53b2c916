/** Downloads a file as if a link was clicked. @param name '' = as the server calls it. */
export function download(href: string, name: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

/** Copies an image to the clipboard. Safari needs the promise during the click, then waits. */
export const copyPicture = async (png: Promise<Blob>): Promise<void> =>
  navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);

/** Downloads a file that was made in the browser. */
export function downloadBlob(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  download(href, name);
  // The download has its own reference once it has begun; a minute is enough for that.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
