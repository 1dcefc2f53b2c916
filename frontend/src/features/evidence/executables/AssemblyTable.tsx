/** The assembly of a function, of one build or of two side by side. */
import { SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import type { AssemblyDocument } from '../../../api';
import { DataTable, SideMark, type Column } from '../../../ui';
import classes from './Assembly.module.css';
import {
  SIDES,
  assemblyRows,
  listingText,
  sampleText,
  type AssemblyRow,
  type Side,
  type SourceText,
} from './assembly-rows';

type TableProps = { document: AssemblyDocument; texts: Partial<Record<Side, SourceText>> };

export function AssemblyTable({ document, texts }: TableProps) {
  const isNarrow = useMediaQuery('(max-width: 900px)');
  const [chosen, setChosen] = useState<'both' | Side>();
  const rows = useMemo(() => assemblyRows(document, texts), [document, texts]);
  const isPair = document.base !== null;
  const only = document.candidate.instructions.length > 0 ? 'candidate' : 'base';
  const view = !isPair ? 'candidate' : (chosen ?? (isNarrow ? only : 'both'));
  const sides = SIDES.filter((side) => document[side] && (view === 'both' || view === side));
  const shown = rows.filter((row) => sides.some((side) => row[side]));
  // A side without instructions has no columns.
  const listed = sides.filter((side) => document[side]?.instructions.length);
  return (
    <>
      {isPair && (
        <SegmentedControl
          size="xs"
          aria-label="Shown builds"
          data={[
            { value: 'both', label: 'Both' },
            { value: 'base', label: 'Base' },
            { value: 'candidate', label: 'Candidate' },
          ]}
          value={view}
          onChange={setChosen}
        />
      )}
      {sides.map((side) => (
        <p key={side} className={classes.facts}>
          {isPair && <SideMark side={side} label />}{' '}
          {listingText(document[side]!, document.function)}
        </p>
      ))}
      {shown.length > 0 && (
        <DataTable
          label={`Assembly of ${document.function}`}
          columns={listed.flatMap((side) => columnsOf(document, side, isPair))}
          rowCount={shown.length}
          rowAt={(index) => shown[index]!}
          rowKey={(row) => row.key}
          rowHeight={22}
          minWidth={listed.length * 340}
          maxHeight={640}
        />
      )}
    </>
  );
}

function columnsOf(document: AssemblyDocument, side: Side, isPair: boolean): Column<AssemblyRow>[] {
  const listing = document[side];
  const code: Column<AssemblyRow> = {
    id: side,
    head: isPair ? (side === 'base' ? 'Base' : 'Candidate') : 'Instruction',
    mono: true,
    cell: (row) => <Cell row={row} side={side} />,
  };
  if (!listing || listing.samples.used === 0) return [code];
  const samples: Column<AssemblyRow> = {
    id: `${side}-samples`,
    head: 'Self (total)',
    align: 'right',
    width: 112,
    cell: (row) => (row.kind === 'code' ? sampleText(listing, row[side]) : ''),
  };
  return [samples, code];
}

const MARKS = { same: '', changed: '~', removed: '−', added: '+' };

function Cell({ row, side }: { row: AssemblyRow; side: Side }) {
  if (row.kind === 'source') {
    const place = row[side];
    if (!place) return null;
    return (
      <span className={classes.source} title={`${place.place} ${place.text}`}>
        {place.place}
        {place.inlined !== null && ` inlined ${place.inlined}`} <span>{place.text}</span>
      </span>
    );
  }
  const instruction = row[side];
  if (!instruction) return null;
  return (
    <span
      className={classes.code}
      data-change={row.change === 'same' ? undefined : side}
      title={instruction.call === '' ? instruction.text : `calls ${instruction.call}`}
    >
      <i aria-hidden>{MARKS[row.change]}</i>
      {row.change !== 'same' && <span className="unseen">{row.change}</span>}
      <span className="muted">{instruction.offset.toString(16).padStart(4, '0')}</span>{' '}
      {instruction.text}
    </span>
  );
}
