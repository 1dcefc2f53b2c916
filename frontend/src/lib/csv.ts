/**
 * Formats rows as CSV. Spreadsheets evaluate a cell that begins like a formula, so such a text is
 * prefixed with an apostrophe.
 */
type CsvCell = string | number | null;

const FORMULA = /^[=+\-@\t\r]/u;

function cellText(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/u.test(text) ? `"${text.replace(/"/gu, '""')}"` : text;
}

export const formatCsv = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
