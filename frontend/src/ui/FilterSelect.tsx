/** A select for one filter of a list; its code is loaded after the list. */
import { Select } from '@mantine/core';

type FilterSelectProps = {
  label: string;
  options: readonly (string | { value: string; label: string })[];
  value: string | null;
  onValue: (value: string | null) => void;
};

export default function FilterSelect({ label, options, value, onValue }: FilterSelectProps) {
  return (
    <Select
      aria-label={label}
      placeholder={`any ${label.toLowerCase()}`}
      clearable
      searchable={options.length > 8}
      w={170}
      data={options}
      value={value}
      onChange={onValue}
    />
  );
}
