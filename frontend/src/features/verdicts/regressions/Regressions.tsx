/** The list of regressions, newest first, with actions on several of them at once. */
import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import type { Regression, RegressionUpdate } from '../../../api';
import { Sparkline } from '../../../charts';
import {
  EmptyState,
  ErrorState,
  KeyHint,
  MoreRows,
  PageHeader,
  Section,
  SkeletonRows,
  StateIcon,
  Timestamp,
  countOf,
  useListTools,
  usePagedList,
  type ShownList,
} from '../../../ui';
import { ListFilters } from '../../../ui/ListFilters';
import { isFiltered } from '../../../lib/list-search';
import { shortCommit } from '../../../lib/commits';
import { ChangeCertainty } from './ChangeCertainty';
import { AssigneeMenu, StateMenu, type Person } from './TriageActions';
import { regressionsQuery, summaryQuery, triage } from './regression-queries';
import classes from './regressions.module.css';
import { SHOWN, type RegressionsSearch } from './regression-url';
import { STATES, headlineText, isOpen, requiredEvidenceText, toneOf } from './regression-wording';

export type RegressionsProps = {
  search: RegressionsSearch;
  onSearch: (search: RegressionsSearch) => void;
  services: { id: string; name: string }[];
  people: Person[];
  mayWrite: boolean;
  link: (regression: Regression, words: ReactNode) => ReactNode;
  onOpen: (regression: Regression) => void;
  /** How to upload the first build, while the team has none. */
  firstBuild?: ReactNode;
};

const columnsOf = (names: Map<string, string>) => [
  { id: 'state', head: 'State', width: '140px', text: ({ state }: Regression) => STATES[state][1] },
  { id: 'title', head: 'Regression', width: 'minmax(200px, 1fr)', text: describeText(names) },
  {
    id: 'since',
    head: 'Since',
    width: '110px',
    text: ({ first_bad_build }: Regression) => first_bad_build?.ordered_at ?? null,
  },
  { id: 'change', head: 'Change', width: '100px', text: ({ ratio }: Regression) => ratio },
  { id: 'trend', head: '', width: '150px' },
  {
    id: 'assignee',
    head: 'Assignee',
    width: '120px',
    text: ({ assignee }: Regression) => assignee?.name ?? null,
  },
];

const describeText = (names: Map<string, string>) => (row: Regression) =>
  [row.title, row.number !== null && `#${row.number}`, names.get(row.service_id)]
    .filter(Boolean)
    .join(' · ');

export default function Regressions(props: RegressionsProps) {
  const { search, onSearch, services } = props;
  const summary = useQuery(summaryQuery);
  const list = usePagedList(regressionsQuery(search), search);
  const { rows, query } = list;
  const first = summary.data;
  return (
    <>
      <PageHeader
        title={
          first
            ? headlineText(first.states.new ?? 0, first.new_unassigned_count, first.open)
            : 'Regressions'
        }
        sub={
          first?.headline?.sentence ??
          'Detected across builds and confirmed before notifying. Requires artifacts uploaded by CI for every build.'
        }
      />
      <ListFilters
        noun="regressions"
        searched="titles, functions, #7"
        filters={[
          { name: 'show', label: 'State', options: SHOWN },
          {
            name: 'service',
            label: 'Service',
            options: services.map(({ id, name }) => ({ value: id, label: name })),
          },
        ]}
        search={search}
        onSearch={onSearch}
      />
      <Section>
        {list.error && (
          <ErrorState
            error={list.error}
            action={<Button onClick={() => void query.refetch()}>Try again</Button>}
          />
        )}
        {query.isPending && <SkeletonRows rows={6} height={42} />}
        {query.data && rows.length === 0 && (
          <EmptyState help="ci">
            {props.firstBuild || !isFiltered(search)
              ? 'No regressions. Upload the profiles of every build from CI to detect them.'
              : 'No regressions match these filters.'}
          </EmptyState>
        )}
        {query.data && rows.length === 0 && props.firstBuild}
        {rows.length > 0 && <Rows {...props} list={list} />}
        <MoreRows list={list} noun="regressions" />
      </Section>
    </>
  );
}

type TriageMenu = 'state' | 'assignee';

type TriageKeys = {
  onMove: (by: number, list: Element) => void;
  onSelect: () => void;
  onMenu: (menu: TriageMenu) => void;
  onOpen: () => void;
};

/** Handles j, k, x, a, s and Enter on the list; ignores other keys and keys typed into a field. */
function triageKeys({ onMove, onSelect, onMenu, onOpen }: TriageKeys) {
  return (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement && event.target.type !== 'checkbox') return;
    const act = {
      j: () => onMove(1, event.currentTarget),
      k: () => onMove(-1, event.currentTarget),
      x: () => onSelect(),
      a: () => onMenu('assignee'),
      s: () => onMenu('state'),
      Enter: () => {
        if (event.target === event.currentTarget) onOpen();
      },
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== 'Enter') event.preventDefault();
    act();
  };
}

type TriageBarProps = {
  mayWrite: boolean;
  /** The regressions that a change applies to, in words. */
  target: string;
  people: Person[];
  opened: TriageMenu | null;
  onOpened: (menu: TriageMenu | null) => void;
  disabled: boolean;
  onChange: (change: RegressionUpdate) => void;
  tools: ReactNode;
};

function TriageBar(props: TriageBarProps) {
  const { mayWrite, target, people, opened, onOpened, disabled, onChange } = props;
  return (
    <div className={classes.triage}>
      {mayWrite && (
        <>
          <span className="t2">{target}</span>
          <StateMenu
            label="State"
            opened={opened === 'state'}
            onOpened={(open) => onOpened(open ? 'state' : null)}
            disabled={disabled}
            onChange={onChange}
          />
          <AssigneeMenu
            label="Assign"
            opened={opened === 'assignee'}
            onOpened={(open) => onOpened(open ? 'assignee' : null)}
            disabled={disabled}
            onChange={onChange}
            people={people}
          />
        </>
      )}
      <span className="grow" />
      <span className={classes.hints}>
        <KeyHint keys={['j', 'k']}>move</KeyHint>
        <KeyHint keys={['x']}>select</KeyHint>
        <KeyHint keys={['a']}>assign</KeyHint>
        <KeyHint keys={['s']}>state</KeyHint>
      </span>
      {props.tools}
    </div>
  );
}

type RowsProps = RegressionsProps & { list: ShownList<Regression> };

/** Returns the sorted rows and the columns that are shown. */
function useShownRows({ list, services, search, onSearch, mayWrite }: RowsProps) {
  const names = new Map(services.map(({ id, name }) => [id, name]));
  const shown = useListTools({
    label: 'Regressions',
    columns: columnsOf(names),
    rows: list.rows,
    allRows: list.allRows,
    sort: search.sort,
    onSort: (sort) => onSearch({ ...search, sort }),
    lead: mayWrite ? '20px' : '',
  });
  return { ...shown, names };
}

function Rows(props: RowsProps) {
  const { people, mayWrite, link, onOpen } = props;
  const { rows, names, isShown, style, tools } = useShownRows(props);
  const client = useQueryClient();
  const [at, setAt] = useState(0);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<TriageMenu | null>(null);
  const save = useMutation({
    mutationFn: (update: { ids: string[]; change: RegressionUpdate }) =>
      triage(update.ids, update.change),
    onSuccess: () => setChosen(new Set()),
    onSettled: () => client.invalidateQueries({ queryKey: ['regression'] }),
  });
  const here = Math.min(at, rows.length - 1);
  // Only rows in the list are changed: a filter may have removed a selected one.
  const selected = rows.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const meant = selected.length > 0 ? selected : [rows[here]!.id];
  const change = (update: RegressionUpdate) => {
    setOpened(null);
    save.mutate({ ids: meant, change: update });
  };
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const onKeyDown = triageKeys({
    onMove: (by, list) => {
      const to = Math.max(0, Math.min(rows.length - 1, here + by));
      setAt(to);
      list.children[to]?.scrollIntoView({ block: 'nearest' });
    },
    onSelect: () => toggle(rows[here]!.id),
    onMenu: mayWrite ? setOpened : () => undefined,
    onOpen: () => onOpen(rows[here]!),
  });
  return (
    <>
      <TriageBar
        tools={tools}
        mayWrite={mayWrite}
        target={
          selected.length > 0
            ? `${countOf(selected.length, 'regression')} selected`
            : 'the row at the cursor'
        }
        people={people}
        opened={opened}
        onOpened={setOpened}
        disabled={save.isPending}
        onChange={change}
      />
      {save.error && <ErrorState compact what="Could not save the changes" error={save.error} />}
      <ul
        className={classes.rows}
        aria-label="Regressions"
        style={style}
        // The list handles the keys j, k, x, a and s.
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        {rows.map((row, index) => (
          <li
            key={row.id}
            className={classes.row}
            aria-current={index === here ? 'true' : undefined}
            onPointerDown={() => setAt(index)}
          >
            {mayWrite && (
              <Checkbox
                aria-label={`Select ${row.title}`}
                checked={chosen.has(row.id)}
                onChange={() => toggle(row.id)}
              />
            )}
            <Row
              row={row}
              service={names.get(row.service_id) ?? ''}
              link={link}
              isShown={isShown}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

type RowProps = {
  row: Regression;
  service: string;
  link: RegressionsProps['link'];
  isShown: (column: string) => boolean;
};

function Row({ row, service, link, isShown }: RowProps) {
  const [glyph, word] = STATES[row.state];
  const more = [
    row.number !== null && `#${row.number}`,
    service,
    row.branch,
    requiredEvidenceText(row.required_evidence),
    row.due_on && `due ${row.due_on}`,
  ];
  return (
    <>
      <span className={classes.state}>
        <StateIcon glyph={row.is_confirmed ? glyph : 'waiting'}>
          {row.is_confirmed ? word : 'Unconfirmed'}
        </StateIcon>
      </span>
      <span className={classes.what}>
        <span className={classes.title}>{link(row, row.title)}</span>
        <span className="muted">{more.filter(Boolean).join(' · ')}</span>
      </span>
      {isShown('since') && (
        <span className={classes.since}>
          {row.first_bad_build && (
            <>
              <span className="mono">{shortCommit(row.first_bad_build.commit)}</span>
              <span className="muted">
                <Timestamp at={row.first_bad_build.ordered_at} />
              </span>
            </>
          )}
        </span>
      )}
      {isShown('change') && (
        <span className={classes.change}>
          <ChangeCertainty regression={row} />
        </span>
      )}
      <span className={classes.spark}>
        {row.sparkline && (
          <Sparkline
            values={row.sparkline.values}
            stepAt={row.sparkline.step_at}
            levels={row.sparkline.levels}
            tone={toneOf(row)}
          />
        )}
      </span>
      {isShown('assignee') && (
        <span className={isOpen(row) && !row.assignee ? classes.unassigned : undefined}>
          {row.assignee ? (row.assignee.name ?? 'former member') : isOpen(row) ? 'unassigned' : ''}
        </span>
      )}
    </>
  );
}
