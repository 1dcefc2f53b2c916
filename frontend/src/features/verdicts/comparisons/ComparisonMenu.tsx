/** A menu of less frequent actions on a comparison: entries of the page, rename and delete. */
import { Button, Menu } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Comparison } from '../../../api';
import { DeleteComparison } from './list/DeleteComparison';
import classes from './shared/Page.module.css';
import { RenameComparison } from './list/RenameComparison';

type MenuProps = {
  comparison: Comparison;
  onGone: () => void;
  mayWrite?: boolean;
  /** Other entries, and the outcome of the last one, which is shown below the button. */
  items?: ReactNode;
  outcome?: ReactNode;
  busy?: boolean;
};

export function ComparisonMenu({ comparison, onGone, mayWrite = true, ...props }: MenuProps) {
  const { items, outcome, busy } = props;
  const [open, setOpen] = useState<'rename' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <div className={classes.menu}>
      <Menu position="bottom-end" width={items === undefined ? undefined : 320}>
        <Menu.Target>
          <Button loading={busy}>More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {items}
          {items !== undefined && mayWrite && <Menu.Divider />}
          {mayWrite && <Menu.Item onClick={() => setOpen('rename')}>Rename</Menu.Item>}
          {mayWrite && <Menu.Item onClick={() => setOpen('delete')}>Delete comparison</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {outcome}
      {open === 'rename' && <RenameComparison comparison={comparison} onClose={close} />}
      {open === 'delete' && (
        <DeleteComparison comparison={comparison} onDeleted={onGone} onClose={close} />
      )}
    </div>
  );
}
