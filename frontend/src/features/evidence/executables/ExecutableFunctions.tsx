/** The functions of a Go program as compiled: frame, stack check, code size and inlined calls. */
import { Button, Drawer, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ExecutableFunction } from '../../../api';
import { visibleName } from '../../../engine/flame/frame-label';
import {
  DataTable,
  EmptyState,
  ErrorState,
  Section,
  SkeletonRows,
  countOf,
  onText,
  type Column,
  type Sort,
} from '../../../ui';
import Assembly from './Assembly';
import { functionsQuery, type FunctionOrder } from './executable-queries';

const SETTLE_MS = 250;
/** The longest name that the API accepts. */
const LONGEST_NAME = 200;

export default function ExecutableFunctions({ artifactId }: { artifactId: string }) {
  const [text, setText] = useState('');
  const [order, setOrder] = useState<FunctionOrder>('frame');
  const [opened, setOpened] = useState('');
  const [name] = useDebouncedValue(text, SETTLE_MS);
  const found = useInfiniteQuery(functionsQuery(artifactId, name, order));
  if (found.error)
    return (
      <Section title="Functions">
        <ErrorState
          what="Could not load the functions"
          error={found.error}
          action={<Button onClick={() => void found.refetch()}>Try again</Button>}
        />
      </Section>
    );
  const pages = found.data?.pages ?? [];
  const functions = pages.flatMap((page) => page.functions);
  const { matched = 0, total = 0 } = pages.at(-1) ?? {};
  return (
    <Section
      title="Functions"
      aside={
        found.data &&
        `${countOf(matched, 'function')} of ${total.toLocaleString('en')}${matched > functions.length ? `, the first ${functions.length}` : ''}`
      }
    >
      <TextInput
        aria-label="Search functions of the program"
        placeholder="Search functions"
        maxLength={LONGEST_NAME}
        maw={360}
        mb={8}
        value={text}
        onChange={onText(setText)}
      />
      {!found.data ? (
        <SkeletonRows rows={10} label="Loading the functions" />
      ) : functions.length === 0 ? (
        <EmptyState>No function has this name. Inlined everywhere, it is in none.</EmptyState>
      ) : (
        <DataTable
          label="Functions of the program"
          columns={COLUMNS}
          rowCount={functions.length}
          rowAt={(index) => functions[index]!}
          rowKey={(row) => `${row.name} ${row.file} ${row.line}`}
          rowHeight={26}
          sort={{ column: order, descending: true }}
          onSort={(sort) => setOrder(orderOf(sort))}
          minWidth={760}
          onRowClick={(row) => setOpened(row.name)}
          maxHeight={640}
        />
      )}
      {found.hasNextPage && (
        <Button
          mt={8}
          loading={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      <Drawer
        opened={opened !== ''}
        onClose={() => setOpened('')}
        size="min(900px, 100%)"
        title={<span className="mono">{opened}</span>}
        closeButtonProps={{ 'aria-label': 'Close assembly' }}
      >
        {opened !== '' && <Assembly of={{ artifact_id: artifactId }} name={opened} />}
      </Drawer>
    </Section>
  );
}

/** Returns the order of a column; the largest values are always first. */
const orderOf = ({ column }: Sort): FunctionOrder =>
  column === 'size' || column === 'inlined' ? column : 'frame';

const number = (
  id: string,
  head: string,
  value: (row: ExecutableFunction) => number,
  sortable = true,
): Column<ExecutableFunction> => ({
  id,
  head,
  width: 104,
  align: 'right',
  sortable,
  cell: (row) => value(row).toLocaleString('en'),
  text: value,
});

const COLUMNS: Column<ExecutableFunction>[] = [
  {
    id: 'name',
    head: 'Function',
    mono: true,
    cell: (row) => (
      <span title={`${row.name} ${row.file}${row.line > 0 ? `:${row.line}` : ''}`}>
        {visibleName(row.name)}
        {row.is_wrapper && <span className="muted"> wrapper</span>}
      </span>
    ),
    text: (row) => row.name,
  },
  number('frame', 'Frame, B', (row) => row.frame_bytes),
  {
    id: 'check',
    head: 'Stack check',
    width: 104,
    cell: (row) => (row.has_stack_check ? 'yes' : <span className="muted">no</span>),
    text: (row) => (row.has_stack_check ? 'yes' : 'no'),
  },
  number('size', 'Code, B', (row) => row.size_bytes),
  number('inlined', 'Inlined calls', (row) => row.inlined),
  number('calls', 'Calls', (row) => row.calls, false),
];
