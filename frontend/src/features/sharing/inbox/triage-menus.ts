/** Menus and forms of triage, for the action bar of the list and for the page of one item. */
import type { InboxItem } from '../../../api';
import type { TriageMenu } from './inbox-keys';
import { actionBlocker, itemsText, type ActionType, type Person } from './inbox-wording';
import {
  assignChoices,
  mergeBlocker,
  mergeChoices,
  snoozeChoices,
  stateChoices,
  type Choice,
} from './triage-choices';

type MenuOf = {
  menu: TriageMenu;
  label: string;
  hint: string;
  title: string;
  choices: Choice[];
  blocker: string | null;
};

export function menusOf(
  targets: readonly InboxItem[],
  people: readonly Person[],
  me: string,
): MenuOf[] {
  const items = itemsText(targets.length);
  const states = stateChoices(targets);
  const unless = (types: ActionType[], other: string | null = null) =>
    actionBlocker(targets, types) ?? other;
  return [
    {
      menu: 'assign',
      label: 'Assign',
      hint: 'a',
      title: `Assign ${items} to`,
      choices: assignChoices(people, me),
      blocker: unless(['assign']),
    },
    {
      menu: 'set-state',
      label: 'Set state',
      hint: 's',
      title: `State of ${items}`,
      choices: states,
      blocker: unless(
        ['set-state'],
        states.length === 0 ? 'These items have no state in common.' : null,
      ),
    },
    {
      menu: 'merge',
      label: 'Merge',
      hint: 'm',
      title: targets.length > 1 ? `Merge ${items} into` : 'Merged item',
      choices: mergeChoices(targets),
      blocker: unless(['merge', 'unmerge'], mergeBlocker(targets)),
    },
    {
      menu: 'snooze',
      label: 'Snooze',
      hint: 'z',
      title: `Snooze ${items}`,
      choices: snoozeChoices(targets, new Date()),
      blocker: unless(['snooze', 'unsnooze']),
    },
  ];
}

/** Buttons that open a form. */
export const FORMS: { menu: TriageMenu; label: string; hint: string; types: ActionType[] }[] = [
  { menu: 'fixed-by', label: 'Mark fixed by…', hint: 'f', types: ['fixed-by'] },
  { menu: 'mute', label: 'Mute with reason…', hint: 'n', types: ['mute', 'unmute'] },
  { menu: 'set-due', label: 'Due date…', hint: 'd', types: ['set-due'] },
];
