/** A menu that shows or hides columns of a list; loaded when it is first opened. */
import { Button, Menu } from '@mantine/core';
import { useFirstOpen } from './LazyPopover';
import './mantine-styles';

type MenuProps = {
  choices: readonly { id: string; name: string }[];
  hidden: ReadonlySet<string>;
  onHidden: (hidden: string[]) => void;
};

export default function ColumnMenu({ choices, hidden, onHidden }: MenuProps) {
  const button = useFirstOpen();
  const toggle = (id: string) =>
    onHidden(choices.map((each) => each.id).filter((each) => hidden.has(each) !== (each === id)));
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <Button ref={button} size="compact-xs">
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => toggle(id)}>
            {hidden.has(id) ? 'Show' : 'Hide'} {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
