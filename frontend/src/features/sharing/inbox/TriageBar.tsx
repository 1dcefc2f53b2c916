/**
 * A bar of actions at the bottom of the page, for the selected items, or else for the one at the
 * cursor.
 */
import { Button } from '@mantine/core';
import type { InboxItem } from '../../../api';
import { TriageForms } from './TriageForms';
import { ChoiceMenu } from './ChoiceMenu';
import { LastAction } from './LastAction';
import classes from './inbox.module.css';
import type { TriageMenu } from './inbox-keys';
import { actionBlocker, itemsText, type Person } from './inbox-wording';
import type { Choice } from './triage-choices';
import { FORMS, menusOf } from './triage-menus';
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
  onRead: (items: InboxItem[]) => void;
  onClear: () => void;
};

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
      {menusOf(targets, props.people, props.me).map(({ menu, ...shown }) => (
        <ChoiceMenu
          key={menu}
          {...shown}
          isOpen={opened === menu}
          onOpen={(open) => onOpened(open ? menu : null)}
          onChoose={choose}
        />
      ))}
      {FORMS.map(({ menu, label, hint, types }) => (
        <FormButton
          key={menu}
          label={label}
          hint={hint}
          blocker={actionBlocker(targets, types)}
          onOpen={() => onOpened(menu)}
        />
      ))}
      <Button
        className={classes.action}
        rightSection={<kbd aria-hidden>r</kbd>}
        onClick={() => props.onRead(targets)}
      >
        {targets.some(({ is_unread }) => is_unread) ? 'Mark as read' : 'Mark as unread'}
      </Button>
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
