/** Hands a file to the browser as if a link to it had been clicked. @param name '' = as the server calls it. */
export function download(href: string, name: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

/** Puts a picture on the clipboard. Safari wants to be handed it while the press lasts, and waits for it then. */
export const copyPicture = async (png: Promise<Blob>): Promise<void> =>
  navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);

/** Hands a file that the page has made to the browser. */
export function downloadBlob(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  download(href, name);
  // The download has its own reference once it began; a minute is plenty for that.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
