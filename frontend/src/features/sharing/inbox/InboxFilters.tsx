/** The filters of the inbox, and the tools of its list. */
import type { ReactNode } from 'react';
import { KeyHint } from '../../../ui';
import { ListFilters } from '../../../ui/ListFilters';
import classes from './inbox.module.css';
import { KINDS, SEVERITIES, STATES, type InboxSearch } from './inbox-url';
import { KIND_LABELS, SEVERITY_LABELS, stateLabel, type Person } from './inbox-wording';

type FiltersProps = {
  search: InboxSearch;
  onSearch: (search: InboxSearch) => void;
  services: { id: string; name: string }[];
  people: Person[];
  me: string;
  tools: ReactNode;
};

const filtersOf = ({ services, people, me }: FiltersProps) => [
  {
    name: 'service',
    label: 'Service',
    options: services.map(({ id, name }) => ({ value: id, label: name })),
  },
  {
    name: 'kind',
    label: 'Kind',
    options: KINDS.map((value) => ({ value, label: KIND_LABELS[value] })),
  },
  {
    name: 'state',
    label: 'State',
    options: STATES.map((value) => ({ value, label: stateLabel(value)[1].toLowerCase() })),
  },
  {
    name: 'assignee',
    label: 'Assignee',
    options: [
      { value: 'unassigned', label: 'unassigned' },
      ...people.map(({ id, name }) => ({ value: id, label: id === me ? `${name} (you)` : name })),
    ],
  },
  {
    name: 'severity',
    label: 'Severity',
    options: SEVERITIES.map((value) => ({
      value,
      label: SEVERITY_LABELS[value][1].toLowerCase(),
    })),
  },
  { name: 'reading', label: 'Reading state', options: ['unread'] },
];

export function InboxFilters(props: FiltersProps) {
  const { search, onSearch, tools } = props;
  return (
    <ListFilters
      noun="the inbox"
      searched="titles, #31"
      filters={filtersOf(props)}
      search={search}
      onSearch={onSearch}
    >
      <span className="grow" />
      <span className={classes.hints}>
        <KeyHint keys={['j', 'k']}>move</KeyHint>
        <KeyHint keys={['x']}>select</KeyHint>
        <KeyHint keys={['Enter']}>open</KeyHint>
        <KeyHint keys={['?']}>all shortcuts</KeyHint>
      </span>
      <span className={classes.tools}>{tools}</span>
    </ListFilters>
  );
}
