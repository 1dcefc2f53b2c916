import { Button } from '@mantine/core';
import { lazy } from 'react';
import type { CopiedText } from '../lib/copied-text';
import { LazyPopover } from './LazyPopover';

const Menu = lazy(() => import('./CopyMenuItems'));

/** @param text null while the page has no data. */
export type CopyMenuProps = { text: () => CopiedText | null };

/** *Copy*: what a page shows as text, to paste it elsewhere. */
export function CopyMenu({ text }: CopyMenuProps) {
  return (
    <LazyPopover
      button={(onPress) => (
        <Button aria-haspopup="menu" onClick={onPress}>
          Copy
        </Button>
      )}
    >
      <Menu text={text} />
    </LazyPopover>
  );
}
