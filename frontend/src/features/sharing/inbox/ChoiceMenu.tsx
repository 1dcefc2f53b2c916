/**
 * A menu of the action bar at the bottom of the page. It opens upward, by its key or button, and
 * digits select its choices.
 */
import { Button, Menu } from '@mantine/core';
import { useEffect, useEffectEvent } from 'react';
import { StateIcon } from '../../../ui';
import classes from './inbox.module.css';
import type { Choice } from './triage-choices';

type ChoiceMenuProps = {
  label: string;
  /** The key that opens the menu, if the page has shortcuts. */
  hint?: string;
  title: string;
  choices: Choice[];
  /** The reason why the menu cannot be opened, or null. */
  blocker: string | null;
  isOpen: boolean;
  onOpen: (open: boolean) => void;
  onChoose: (choice: Choice) => void;
};

/**
 * Events outside the menu that close it. Keys are not among them: the key that opens a menu would
 * close it again.
 */
const CLOSED_BY = ['mousedown', 'touchstart'];

/** Selects a choice by its digit while the menu is open, wherever the focus is. */
function useDigits(isOpen: boolean, choices: Choice[], onChoose: (choice: Choice) => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const choice = /^[1-9]$/u.test(event.key) ? choices[Number(event.key) - 1] : undefined;
    if (!choice || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onChoose(choice);
  });
  useEffect(() => {
    if (!isOpen) return undefined;
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [isOpen]);
}

export function ChoiceMenu(props: ChoiceMenuProps) {
  const { label, hint, title, choices, blocker, isOpen, onOpen, onChoose } = props;
  const opened = isOpen && blocker === null;
  useDigits(opened, choices, onChoose);
  return (
    <Menu
      opened={opened}
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
      <Menu.Dropdown className={classes.menu}>
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
