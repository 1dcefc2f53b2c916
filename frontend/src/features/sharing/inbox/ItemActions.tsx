/** The actions on one item, for its page. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { InboxItem } from '../../../api';
import { ChoiceMenu } from './ChoiceMenu';
import { LastAction } from './LastAction';
import { TriageForms } from './TriageForms';
import type { TriageMenu } from './inbox-keys';
import { actionBlocker, type Person } from './inbox-wording';
import type { Choice } from './triage-choices';
import { FORMS, menusOf } from './triage-menus';
import { useTriage } from './use-triage';

export type ItemActionsProps = { item: InboxItem; people: Person[]; me: string };

export default function ItemActions({ item, people, me }: ItemActionsProps) {
  const [opened, setOpened] = useState<TriageMenu | null>(null);
  const triage = useTriage(people);
  const targets = [item];
  const choose = ({ action, opens, items }: Choice) => {
    setOpened(opens ?? null);
    if (action) triage.act(items ?? targets, action);
  };
  const menus = menusOf(targets, people, me).filter(({ blocker }) => blocker === null);
  return (
    <>
      <LastAction triage={triage} />
      {menus.map(({ menu, label, title, choices, blocker }) => (
        <ChoiceMenu
          key={menu}
          label={label}
          title={title}
          choices={choices}
          blocker={blocker}
          isOpen={opened === menu}
          onOpen={(open) => setOpened(open ? menu : null)}
          onChoose={choose}
        />
      ))}
      {FORMS.filter(({ types }) => actionBlocker(targets, types) === null).map(
        ({ menu, label }) => (
          <Button key={menu} onClick={() => setOpened(menu)}>
            {label}
          </Button>
        ),
      )}
      <TriageForms
        targets={targets}
        opened={opened}
        onClose={() => setOpened(null)}
        triage={triage}
      />
    </>
  );
}
