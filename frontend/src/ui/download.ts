/** Hands a file to the browser as if a link to it had been clicked. @param name '' = as the server calls it. */
export function download(href: string, name: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
