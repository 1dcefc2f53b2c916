/**
 * A menu that splits the latency of a service by a label, such as its route: one line for each of
 * the values with the most time.
 */
import { Menu } from '@mantine/core';
import type { DashboardRow } from '../../../engine/dashboard/dashboard-file';
import type { DashboardView } from './dashboard-url';

type SplitMenuProps = {
  row: DashboardRow;
  split: DashboardView['split'];
  onSplit: (split: DashboardView['split']) => void;
};

export function SplitMenu({ row, split, onSplit }: SplitMenuProps) {
  const own = split?.service === row.service.id ? split.label : null;
  if (row.split_labels.length === 0 && own === null) return null;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button
          type="button"
          className="link"
          aria-label={`Split the latency of ${row.service.name} by a label`}
        >
          {own ? `by ${own}` : 'split'}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Split latency by</Menu.Label>
        {row.split_labels.map(({ name, values }) => (
          <Menu.Item
            key={name}
            disabled={name === own}
            onClick={() => onSplit({ service: row.service.id, label: name })}
          >
            {name} ({values} values)
          </Menu.Item>
        ))}
        {own !== null && <Menu.Item onClick={() => onSplit(null)}>Do not split</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Returns the name of a part of a split row; all other values together are "N others". */
export const splitPartName = ({ value, values }: DashboardRow['split'][number]): string =>
  value ?? `${values} other${values === 1 ? '' : 's'}`;
