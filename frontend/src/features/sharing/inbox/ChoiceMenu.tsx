/** A menu of the bar at the bottom edge: it opens upward, by its key or button, and its choices have digits. */
import { Button, Menu } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { StateIcon } from '../../../ui';
import classes from './inbox.module.css';
import type { Choice } from './triage-choices';

type ChoiceMenuProps = {
  label: string;
  /** Its key, where the page has keys. */
  hint?: string;
  title: string;
  choices: Choice[];
  /** Why it cannot be opened, or null. */
  blocker: string | null;
  isOpen: boolean;
  onOpen: (open: boolean) => void;
  onChoose: (choice: Choice) => void;
};

/** Not by a key: the one that opens a menu would close it again. */
const CLOSED_BY = ['mousedown', 'touchstart'];

/** The digit of a choice chooses it. */
function chooseByDigit(event: KeyboardEvent<HTMLElement>): void {
  const items = event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]');
  const item = /^[1-9]$/u.test(event.key) ? items[Number(event.key) - 1] : undefined;
  if (!item) return;
  event.preventDefault();
  item.click();
}

export function ChoiceMenu(props: ChoiceMenuProps) {
  const { label, hint, title, choices, blocker, isOpen, onOpen, onChoose } = props;
  return (
    <Menu
      opened={isOpen && blocker === null}
      onChange={onOpen}
      position="top-start"
      clickOutsideEvents={CLOSED_BY}
      disabled={blocker !== null}
    >
      <Menu.Target>
        <Button
          className={classes.action}
          data-open={isOpen || undefined}
          disabled={blocker !== null}
          title={blocker ?? undefined}
          rightSection={hint && <kbd aria-hidden>{hint}</kbd>}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu} onKeyDown={chooseByDigit}>
        <Menu.Label>{title}</Menu.Label>
        {choices.map((choice, at) => (
          <Menu.Item
            key={`${at} ${choice.label}`}
            onClick={() => onChoose(choice)}
            rightSection={at < 9 ? <kbd aria-hidden>{at + 1}</kbd> : undefined}
          >
            {choice.glyph ? (
              <StateIcon glyph={choice.glyph}>{choice.label}</StateIcon>
            ) : (
              choice.label
            )}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
