import { lazy, type ReactNode } from 'react';
import type { ComparisonSummaryOut } from '../../../../api';
import {
  EmptyState,
  LazyPopover,
  PagedTable,
  PersonName,
  Section,
  SideMark,
  SkeletonRows,
  StateIcon,
  Timestamp,
  countOf,
  type Column,
  type Glyph,
  usePagedList,
} from '../../../../ui';
import { ListFilters } from '../../../../ui/ListFilters';
import { isFiltered } from '../../../../lib/list-search';
import { usePollWhile } from '../../../platform/jobs';
import classes from '../shared/Page.module.css';
import { COMPARISON_STATES, type ComparisonsSearch } from '../shared/comparisons-url';
import { comparisonsQuery, isUnderWay } from '../shared/comparison-queries';
import { VERDICT_LABELS } from '../shared/comparison-wording';

const RowMenu = lazy(() => import('./ComparisonRowMenu'));

const VERDICT_GLYPHS: Record<NonNullable<ComparisonSummaryOut['verdict']>, Glyph> = {
  regressed: 'more',
  improved: 'less',
  mixed: 'both',
  unchanged: 'same',
  inconclusive: 'unsure',
};

function Verdict({ comparison }: { comparison: ComparisonSummaryOut }) {
  const { state, verdict } = comparison;
  if (verdict)
    return <StateIcon glyph={VERDICT_GLYPHS[verdict]}>{VERDICT_LABELS[verdict]}</StateIcon>;
  if (state === 'failed') return <StateIcon glyph="failed">failed</StateIcon>;
  if (state === 'cancelled') return <StateIcon glyph="ended">cancelled</StateIcon>;
  return (
    <StateIcon glyph={state === 'running' ? 'running' : 'waiting'}>
      {state === 'running' ? 'comparing' : 'waiting'}
    </StateIcon>
  );
}

function SideCell({
  side,
  content,
}: {
  side: 'base' | 'candidate';
  content: ComparisonSummaryOut['base'];
}) {
  return (
    <span className={classes.sideCell}>
      <SideMark side={side} />
      <span className="mono cut">{content.label}</span>
      <span className="muted nowrap">
        {content.artifacts === 0 && content.time_range !== null
          ? 'metrics'
          : countOf(content.artifacts, 'artifact')}
      </span>
    </span>
  );
}

type TableProps = {
  search: ComparisonsSearch;
  onSearch: (search: ComparisonsSearch) => void;
  onOpen: (comparison: ComparisonSummaryOut) => void;
  link: (comparison: ComparisonSummaryOut, words: ReactNode) => ReactNode;
  upload: ReactNode;
  mayWrite: boolean;
};

/** Older reports have comparisons without an assignee. */
const assigneeOf = (assignee?: ComparisonSummaryOut['assignee']): string =>
  assignee ? (assignee.name ?? 'former member') : '';

function columnsOf(link: TableProps['link'], mayWrite: boolean): Column<ComparisonSummaryOut>[] {
  return [
    {
      id: 'verdict',
      head: 'Verdict',
      text: ({ verdict, state }) => verdict ?? state,
      width: 132,
      cell: (row) => <Verdict comparison={row} />,
    },
    {
      id: 'name',
      head: 'Comparison',
      text: ({ name }) => name,
      cell: (row) => (
        <span className={classes.twoLines}>
          <span className={classes.nameLine}>{link(row, row.name)}</span>
          <span className={classes.secondLine}>
            {row.verdict_sentence ?? row.problem?.detail ?? ''}
          </span>
        </span>
      ),
    },
    {
      id: 'base',
      head: 'Base',
      text: ({ base }) => base.label,
      width: '19%',
      cell: (row) => <SideCell side="base" content={row.base} />,
    },
    {
      id: 'candidate',
      head: 'Candidate',
      text: ({ candidate }) => candidate.label,
      width: '19%',
      cell: (row) => <SideCell side="candidate" content={row.candidate} />,
    },
    {
      id: 'assignee',
      head: 'Assignee',
      text: ({ assignee }) => assigneeOf(assignee),
      width: 120,
      cell: ({ assignee }) =>
        assignee ? <PersonName name={assigneeOf(assignee)} /> : <span className="muted">–</span>,
    },
    {
      id: 'at',
      head: 'Created',
      text: ({ created_at }) => created_at,
      width: 140,
      align: 'right',
      cell: (row) => <Timestamp at={row.created_at} />,
    },
    {
      id: 'act',
      head: '',
      label: 'actions',
      width: 40,
      align: 'right',
      cell: (row) =>
        mayWrite ? (
          // The menu is rendered in a portal, but React bubbles its events to the row.
          <span onClick={(event) => event.stopPropagation()} role="presentation">
            <LazyPopover
              button={(onPress) => (
                <button
                  type="button"
                  className="icon-button"
                  aria-haspopup="menu"
                  aria-label={`Actions for ${row.name}`}
                  onClick={onPress}
                >
                  ⋯
                </button>
              )}
            >
              <RowMenu comparison={row} />
            </LazyPopover>
          </span>
        ) : null,
    },
  ];
}

/** A table of all comparisons of the team, newest first. */
export function ComparisonsTable({ search, onSearch, onOpen, link, upload, mayWrite }: TableProps) {
  const pollWhile = usePollWhile();
  const comparisons = usePagedList(comparisonsQuery(search), {
    sort: search.sort,
    pollAfterMs: (rows) => pollWhile(rows.some(isUnderWay)),
  });
  const filtered = isFiltered(search);
  return (
    <>
      <ListFilters
        noun="comparisons"
        searched="names and labels"
        filters={[{ name: 'state', label: 'State', options: COMPARISON_STATES }]}
        search={search}
        onSearch={onSearch}
      />
      <Section>
        <PagedTable
          label="Comparisons"
          list={comparisons}
          sorting={{ search, onSort: (sort) => onSearch({ ...search, sort }) }}
          columns={columnsOf(link, mayWrite)}
          rowHeight={42}
          onRowClick={onOpen}
          minWidth={960}
          loading={<SkeletonRows rows={8} height={42} />}
          empty={
            <EmptyState
              action={filtered ? undefined : upload}
              help={filtered ? undefined : 'comparing'}
            >
              {filtered
                ? 'No comparisons match these filters.'
                : `No comparisons yet.${mayWrite ? ' Drop pprof profiles of two builds anywhere on this page.' : ''}`}
            </EmptyState>
          }
        />
      </Section>
    </>
  );
}
