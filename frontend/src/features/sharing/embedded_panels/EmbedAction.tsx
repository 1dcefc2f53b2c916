/** The button that opens the dialog with the embedded panels of a service. */
import { Suspense, lazy, useState } from 'react';
import type { EmbedDialogProps } from './EmbedDialog';

const EmbedDialog = lazy(() => import('./EmbedDialog'));

export function EmbedAction(props: Omit<EmbedDialogProps, 'onClose'>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="link"
        aria-label={`Embed panels of ${props.service.name}`}
        onClick={() => setOpen(true)}
      >
        Embed
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <EmbedDialog {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
