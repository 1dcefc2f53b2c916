import { Button } from '@mantine/core';
import { lazy } from 'react';
import type { CopyMenuProps } from '../lib/copied-text';
import { LazyPopover } from './LazyPopover';

const Menu = lazy(() => import('./CopyMenuItems'));

/** The *Copy* menu of a page: copies its content as Markdown or for Slack, or its link. */
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
