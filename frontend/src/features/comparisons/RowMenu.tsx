/** What may be done with one comparison of the list. */
import { Menu } from '@mantine/core';
import { usePressed } from '../../ui';
import classes from './Page.module.css';

type Props = { name: string; onDelete: () => void };

export default function RowMenu({ name, onDelete }: Props) {
  const button = usePressed();
  return (
    <Menu>
      <Menu.Target>
        <button
          ref={button}
          type="button"
          className={classes.dots}
          aria-label={`Actions for ${name}`}
        >
          ⋯
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onDelete}>Delete comparison</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
