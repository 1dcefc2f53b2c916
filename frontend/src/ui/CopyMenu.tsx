import { Button } from '@mantine/core';
import { lazy } from 'react';
import type { CopyMenuProps } from '../lib/copied-text';
import { LazyPopover } from './LazyPopover';

const Menu = lazy(() => import('./CopyMenuItems'));

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
