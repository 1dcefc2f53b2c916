/** A menu of actions on one comparison of the list. */
import { Menu } from '@mantine/core';
import { useState } from 'react';
import { useFirstOpen } from '../../../../ui';
import { DeleteComparison } from './DeleteComparison';

type Props = { comparison: { id: string; name: string } };

export default function ComparisonRowMenu({ comparison }: Props) {
  const button = useFirstOpen();
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <Menu>
        <Menu.Target>
          <button
            ref={button}
            type="button"
            className="icon-button"
            aria-label={`Actions for ${comparison.name}`}
          >
            ⋯
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDeleting(true)}>Delete comparison</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {deleting && <DeleteComparison comparison={comparison} onClose={() => setDeleting(false)} />}
    </>
  );
}
