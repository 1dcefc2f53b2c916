/** The filters and the search text above a list; both are in the URL of the page. */
import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Suspense, lazy, useState, type ReactNode } from 'react';
import { Toolbar } from './Page';
import classes from './ListFilters.module.css';
import { useListToolSlot } from './list-tool-slot';
import { onText } from './text-handlers';
import type { ListSearch } from '../lib/list-search';

const FilterSelect = lazy(() => import('./FilterSelect'));

/** Time without a key press after which the list is requested. */
const PAUSE_MS = 150;

/** One filter: a select, or a text field if there are too many values to choose from. */
export type ListFilter = {
  /** Its query parameter. */
  name: string;
  label: string;
  options?: readonly (string | { value: string; label: string })[];
};

type FilterValues = ListSearch & Readonly<Record<string, string | undefined>>;

type FiltersProps<Search> = {
  /** What is listed: "builds". */
  noun: string;
  /** What the search looks for: "commits, names, titles". */
  searched: string;
  filters?: readonly ListFilter[];
  search: Search;
  onSearch: (search: Search) => void;
  /** Shown at the right, instead of the tools of the table below. */
  children?: ReactNode;
};

export function ListFilters<Search extends ListSearch>(props: FiltersProps<Search>) {
  const { noun, searched, filters = [], search, onSearch, children } = props;
  const slot = useListToolSlot();
  const values: FilterValues = search;
  const change = (name: string, value: string | null) =>
    onSearch({ ...search, [name]: value === '' ? undefined : (value ?? undefined) });
  return (
    <Toolbar label={`Filter ${noun}`}>
      {filters.map(({ name, label, options }) =>
        options ? (
          <Suspense key={name} fallback={null}>
            <FilterSelect
              label={label}
              options={options}
              value={values[name] ?? null}
              onValue={(next) => change(name, next)}
            />
          </Suspense>
        ) : (
          <FilterText
            key={name}
            label={label}
            hint={`any ${label.toLowerCase()}`}
            value={values[name] ?? ''}
            onValue={(next) => change(name, next)}
          />
        ),
      )}
      <FilterText
        label={`Search ${noun}`}
        hint={`Search ${searched}`}
        value={search.q ?? ''}
        onValue={(next) => change('q', next)}
      />
      {children ?? <span ref={slot?.setElement} className={classes.tools} />}
    </Toolbar>
  );
}

type TextProps = { label: string; hint: string; value: string; onValue: (value: string) => void };

/** A text filter. Shows what is typed until it loses focus; then the value in the URL. */
function FilterText({ label, hint, value, onValue }: TextProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const send = useDebouncedCallback(onValue, PAUSE_MS);
  return (
    <TextInput
      aria-label={label}
      placeholder={hint}
      maxLength={200}
      w={220}
      value={typed ?? value}
      onChange={onText((next) => {
        setTyped(next);
        send(next);
      })}
      onBlur={() => {
        send.flush();
        setTyped(null);
      }}
    />
  );
}
