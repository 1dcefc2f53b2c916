import { useEffect, useState } from 'react';
import classes from './Drawer.module.css';
import { droppedFiles } from './dropped-files';
import type { SideName } from './side-guess';
import { tray } from './tray-store';
import { useTray } from './use-tray';

const hasFiles = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes('Files') ?? false;

/** Returns the side of the drawer under the pointer; the overlay ignores pointer events. */
function sideUnder({ target }: DragEvent): SideName | undefined {
  const place = target instanceof Element ? target.closest<HTMLElement>('[data-side]') : null;
  const side = place?.dataset.side;
  return side === 'base' || side === 'candidate' ? side : undefined;
}

/** Accepts files that are dropped anywhere on any page. An overlay shows this during a drag. */
export function PageDropZone({ allowed }: { allowed: boolean }) {
  const [over, setOver] = useState(false);
  const [side, setSide] = useState<SideName | undefined>(undefined);
  useLeaveConfirmation(
    useTray().items.some(({ phase }) => phase === 'waiting' || phase === 'sending'),
  );
  useEffect(() => {
    // Entering a child fires before leaving its parent: at depth 0, the drag has left the page.
    let depth = 0;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const hover = (event: DragEvent) => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = allowed ? 'copy' : 'none';
      setSide(sideUnder(event));
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      // This also runs if uploads are not allowed: otherwise the browser would open the file and
      // leave the page.
      event.preventDefault();
      depth = 0;
      setOver(false);
      const side = sideUnder(event);
      if (allowed)
        void droppedFiles(event.dataTransfer).then(({ files, strays }) =>
          tray.add(files, strays, side),
        );
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('dragover', hover);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('dragover', hover);
      window.removeEventListener('drop', drop);
    };
  }, [allowed]);
  if (!over) return null;
  return (
    <div className={classes.overlay} aria-hidden>
      <p>
        {!allowed
          ? 'Viewers cannot upload. Ask a team admin for the member role.'
          : side
            ? `Drop here to add to the ${side}`
            : 'Drop profiles of two builds, several per side if possible'}
      </p>
    </div>
  );
}

/** Makes the browser ask before the page is left during uploads: unsent files would be lost. */
function useLeaveConfirmation(busy: boolean): void {
  useEffect(() => {
    if (!busy) return;
    const confirmLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', confirmLeave);
    return () => window.removeEventListener('beforeunload', confirmLeave);
  }, [busy]);
}
