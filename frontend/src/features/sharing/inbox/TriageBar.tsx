/** What can be done with the selected items, or with the one at the cursor, at the bottom edge of the page. */
import { Button } from '@mantine/core';
import type { InboxAction, InboxItem } from '../../../api';
import { TriageForms } from './TriageForms';
import { ChoiceMenu } from './ChoiceMenu';
import { LastAction } from './LastAction';
import classes from './inbox.module.css';
import type { TriageMenu } from './inbox-keys';
import { actionBlocker, itemsText, mergeBlocker, type Person } from './inbox-wording';
import {
  assignChoices,
  mergeChoices,
  snoozeChoices,
  stateChoices,
  type Choice,
} from './triage-choices';
import type { Triage } from './use-triage';

type TriageBarProps = {
  /** The items that an action applies to. */
  targets: InboxItem[];
  isSelection: boolean;
  opened: TriageMenu | null;
  onOpened: (menu: TriageMenu | null) => void;
  people: Person[];
  me: string;
  triage: Triage;
  onClear: () => void;
};

type MenuOf = {
  menu: TriageMenu & InboxAction['type'];
  label: string;
  hint: string;
  title: string;
  choices: Choice[];
  blocker?: string | null;
};

function menusOf({ targets, people, me }: Pick<TriageBarProps, 'targets' | 'people' | 'me'>) {
  const items = itemsText(targets.length);
  const states = stateChoices(targets);
  const merges = mergeChoices(targets);
  const menus: MenuOf[] = [
    {
      menu: 'assign',
      label: 'Assign',
      hint: 'a',
      title: `Assign ${items} to`,
      choices: assignChoices(people, me),
    },
    {
      menu: 'set-state',
      label: 'Set state',
      hint: 's',
      title: `State of ${items}`,
      choices: states,
      blocker: states.length === 0 ? 'These items have no state in common.' : null,
    },
    {
      menu: 'merge',
      label: 'Merge',
      hint: 'm',
      title: targets.length > 1 ? `Merge ${items} into` : 'Merged items',
      choices: merges,
      blocker: merges.length > 0 && targets.length === 1 ? null : mergeBlocker(targets),
    },
    {
      menu: 'snooze',
      label: 'Snooze',
      hint: 'z',
      title: `Snooze ${items}`,
      choices: snoozeChoices(targets, new Date()),
    },
  ];
  return menus;
}

/** Buttons that open a form. */
const FORMS = [
  { menu: 'fixed-by', label: 'Mark fixed by…', hint: 'f' },
  { menu: 'mute', label: 'Mute with reason…', hint: 'n' },
  { menu: 'set-due', label: 'Due date…', hint: 'd' },
] as const;

export function TriageBar(props: TriageBarProps) {
  const { targets, isSelection, opened, onOpened, triage, onClear } = props;
  if (!isSelection && opened === null)
    return triage.done || triage.error ? (
      <div className={classes.bar} role="region" aria-label="Last action">
        <LastAction triage={triage} />
      </div>
    ) : null;
  const choose = ({ action, opens, items }: Choice) => {
    onOpened(opens ?? null);
    if (action) triage.act(items ?? targets, action);
  };
  return (
    <div className={classes.bar} role="region" aria-label="Actions">
      <b aria-live="polite">
        {isSelection ? `${targets.length} selected` : itemsText(targets.length)}
      </b>
      {menusOf(props).map(({ menu, blocker = null, ...shown }) => (
        <ChoiceMenu
          key={menu}
          {...shown}
          blocker={blocker ?? actionBlocker(targets, menu)}
          isOpen={opened === menu}
          onOpen={(open) => onOpened(open ? menu : null)}
          onChoose={choose}
        />
      ))}
      {FORMS.map(({ menu, label, hint }) => (
        <FormButton
          key={menu}
          label={label}
          hint={hint}
          blocker={actionBlocker(targets, menu)}
          onOpen={() => onOpened(menu)}
        />
      ))}
      <span className="grow" />
      <LastAction triage={triage} />
      <Button variant="subtle" onClick={onClear} rightSection={<kbd aria-hidden>Esc</kbd>}>
        {isSelection ? 'Clear selection' : 'Close'}
      </Button>
      <TriageForms
        targets={targets}
        opened={opened}
        onClose={() => onOpened(null)}
        triage={triage}
      />
    </div>
  );
}

type FormButtonProps = { label: string; hint: string; blocker: string | null; onOpen: () => void };

function FormButton({ label, hint, blocker, onOpen }: FormButtonProps) {
  return (
    <Button
      className={classes.action}
      disabled={blocker !== null}
      title={blocker ?? undefined}
      rightSection={<kbd aria-hidden>{hint}</kbd>}
      onClick={onOpen}
    >
      {label}
    </Button>
  );
}
