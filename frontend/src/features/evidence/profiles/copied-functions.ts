/** Formats the first rows of the table of functions as text, in the order that is shown. */
import type { FunctionTable } from '../../../engine/flame/function-table';
import { formatShare, formatValue } from '../../../engine/format/format';
import { kindLabel } from '../../../engine/format/profile-labels';
import type { CopiedText } from '../../../lib/copied-text';
import { rowAt, type Scaled } from './function-rows';

const MOST_ROWS = 15;

export function copyFunctions(rows: Uint32Array, table: FunctionTable, scaled: Scaled): CopiedText {
  const shown = Array.from(rows.slice(0, MOST_ROWS), (index) => rowAt(table, scaled, index));
  const total = formatValue(scaled.total, scaled.unit);
  return {
    title: `Functions of the ${kindLabel(table.header.kind)} profile`,
    sentence: `${total} in all. The value of a function is its own cost: self and attributed.`,
    url: window.location.href,
    rows: shown.map(({ name, own, share, total: whole }) => ({
      name,
      value: `${formatValue(own, scaled.unit)} (${formatShare(share)}), total ${formatValue(whole, scaled.unit)}`,
    })),
    more: rows.length - shown.length,
  };
}
