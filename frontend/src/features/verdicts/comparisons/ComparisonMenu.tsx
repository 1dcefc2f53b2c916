/** What is seldom done with a comparison: calling it otherwise, deleting it. */
import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import type { Comparison } from '../../../api';
import { DeleteComparison } from './DeleteComparison';
import { RenameComparison } from './RenameComparison';

export function ComparisonMenu({
  comparison,
  onGone,
}: {
  comparison: Comparison;
  onGone: () => void;
}) {
  const [open, setOpen] = useState<'rename' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button>More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setOpen('rename')}>Rename</Menu.Item>
          <Menu.Item onClick={() => setOpen('delete')}>Delete comparison</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open === 'rename' && <RenameComparison comparison={comparison} onClose={close} />}
      {open === 'delete' && (
        <DeleteComparison comparison={comparison} onDeleted={onGone} onClose={close} />
      )}
    </>
  );
}
