/** Menus for one or many regressions: state and assignee. The keys `s` and `a` open them. */
import { Menu } from '@mantine/core';
import type { RegressionUpdate } from '../../../api';
import { StateIcon } from '../../../ui';
import classes from './regressions.module.css';
import { STATES, type State } from './regression-wording';

export type Person = { id: string; name: string };

/** No key events: the key that opens a menu would also close it. */
const CLOSED_BY = ['mousedown', 'touchstart'];

type MenuProps = {
  label: string;
  opened: boolean;
  onOpened: (opened: boolean) => void;
  disabled?: boolean;
  onChange: (change: RegressionUpdate) => void;
};

export function StateMenu({ label, opened, onOpened, disabled, onChange }: MenuProps) {
  return (
    <Menu opened={opened} onChange={onOpened} disabled={disabled} clickOutsideEvents={CLOSED_BY}>
      <Menu.Target>
        <button type="button" className={classes.choose} disabled={disabled}>
          {label}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.entries(STATES) as [State, (typeof STATES)[State]][]).map(
          ([state, [glyph, word]]) => (
            <Menu.Item key={state} onClick={() => onChange({ state })}>
              <StateIcon glyph={glyph}>{word}</StateIcon>
            </Menu.Item>
          ),
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

export function AssigneeMenu({
  label,
  opened,
  onOpened,
  disabled,
  onChange,
  people,
}: MenuProps & { people: Person[] }) {
  return (
    <Menu opened={opened} onChange={onOpened} disabled={disabled} clickOutsideEvents={CLOSED_BY}>
      <Menu.Target>
        <button type="button" className={classes.choose} disabled={disabled}>
          {label}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {people.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => onChange({ assignee_id: id })}>
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => onChange({ assignee_id: null })}>unassigned</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
