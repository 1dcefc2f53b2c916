/** Filters as chips: each opens a list of links, so that a filtered inbox has an address. */
import { Menu, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { KeyHint, Toolbar, onText } from '../../../ui';
import type { InboxLink } from './InboxTabs';
import classes from './inbox.module.css';
import { KINDS, SEVERITIES, STATES, type InboxSearch } from './inbox-url';
import { KIND_LABELS, SEVERITY_LABELS, stateLabel, type Person } from './inbox-wording';

type FiltersProps = {
  search: InboxSearch;
  onSearch: (search: InboxSearch) => void;
  Link: InboxLink;
  services: { id: string; name: string }[];
  people: Person[];
  me: string;
  tools: ReactNode;
};

type Filter = {
  name: 'service' | 'kind' | 'state' | 'assignee' | 'severity';
  options: { value: string; label: string }[];
};

function filtersOf({ services, people, me }: FiltersProps): Filter[] {
  return [
    { name: 'service', options: services.map(({ id, name }) => ({ value: id, label: name })) },
    { name: 'kind', options: KINDS.map((value) => ({ value, label: KIND_LABELS[value] })) },
    {
      name: 'state',
      options: STATES.map((value) => ({ value, label: stateLabel(value)[1].toLowerCase() })),
    },
    {
      name: 'assignee',
      options: [
        { value: 'unassigned', label: 'unassigned' },
        ...people.map(({ id, name }) => ({ value: id, label: id === me ? `${name} (you)` : name })),
      ],
    },
    {
      name: 'severity',
      options: SEVERITIES.map((value) => ({
        value,
        label: SEVERITY_LABELS[value][1].toLowerCase(),
      })),
    },
  ];
}

export function InboxFilters(props: FiltersProps) {
  const { search, onSearch, Link } = props;
  return (
    <Toolbar label="Filter the inbox">
      {filtersOf(props).map((filter) => (
        <FilterChip key={filter.name} filter={filter} search={search} Link={Link} />
      ))}
      <TextInput
        className={classes.search}
        aria-label="Search the inbox"
        placeholder="Search titles, #31"
        maxLength={200}
        value={search.q ?? ''}
        onChange={onText((q) => onSearch({ ...search, q: q || undefined }))}
      />
      <span className="grow" />
      <span className={classes.hints}>
        <KeyHint keys={['j', 'k']}>move</KeyHint>
        <KeyHint keys={['x']}>select</KeyHint>
        <KeyHint keys={['Enter']}>open</KeyHint>
        <KeyHint keys={['?']}>all shortcuts</KeyHint>
      </span>
      <span className={classes.tools}>{props.tools}</span>
    </Toolbar>
  );
}

type ChipProps = { filter: Filter; search: InboxSearch; Link: InboxLink };

function FilterChip({ filter: { name, options }, search, Link }: ChipProps) {
  const value = search[name];
  const label = value ? (options.find((each) => each.value === value)?.label ?? 'unknown') : 'any';
  const choices = [{ value: undefined, label: 'any' }, ...options];
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" className={classes.chip} data-set={value ? true : undefined}>
          {name} <b>{label}</b>
        </button>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu}>
        {choices.map((choice) => (
          <Menu.Item
            key={choice.value ?? ''}
            renderRoot={(given) => (
              <Link
                {...given}
                search={{ ...search, [name]: choice.value }}
                aria-current={choice.value === value ? 'page' : undefined}
              />
            )}
          >
            {choice.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
