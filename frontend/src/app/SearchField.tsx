/** One field that goes anywhere: comparisons, files, services, builds by name. `/` from any page. */
import { TextInput } from '@mantine/core';
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useRef, useState, type KeyboardEvent } from 'react';
import { calls } from '../api';
import classes from './SearchField.module.css';

type Place = { key: string; kind: string; name: string; go: () => void };

const EACH = 5;

function usePlaces(team: string, text: string): Place[] {
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ['jump', text],
    enabled: text.length > 0,
    queryFn: async ({ signal }) => {
      const [comparisons, artifacts, services, builds] = await Promise.all([
        calls.comparisonsList({ query: { search: text, limit: EACH }, signal }),
        calls.artifactsList({ query: { name: text, limit: EACH }, signal }),
        calls.servicesList({ query: { limit: 200 }, signal }),
        calls.buildsList({ query: { search: text, limit: EACH }, signal }),
      ]);
      return {
        comparisons: comparisons.items,
        artifacts: artifacts.items,
        services: services.items,
        builds: builds.items,
      };
    },
  });
  if (!data || text === '') return [];
  const named = (name: string) => name.toLowerCase().includes(text.toLowerCase());
  const toService = (serviceId: string) => () =>
    void navigate({ to: '/t/$team/services/$serviceId', params: { team, serviceId } });
  return [
    ...data.comparisons.map(({ id, name }) => ({
      key: id,
      kind: 'comparison',
      name,
      go: () =>
        void navigate({
          to: '/t/$team/comparisons/$comparisonId',
          params: { team, comparisonId: id },
          search: {},
        }),
    })),
    ...data.services
      .filter(({ name, slug }) => named(name) || named(slug))
      .slice(0, EACH)
      .map(({ id, name }) => ({ key: id, kind: 'service', name, go: toService(id) })),
    ...data.builds.map(({ id, commit, display_name: label, service_id }) => ({
      key: id,
      kind: 'build',
      name: `${commit.slice(0, 12)} ${label ?? ''}`,
      go: toService(service_id),
    })),
    ...data.artifacts.map(({ id, name }) => ({
      key: id,
      kind: 'file',
      name,
      go: () =>
        void navigate({ to: '/t/$team/artifacts/$artifactId', params: { team, artifactId: id } }),
    })),
  ];
}

export function SearchField({ team }: { team: string }) {
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const [settled] = useDebouncedValue(text.trim(), 150);
  const places = usePlaces(team, settled);
  const shown = open && settled !== '';
  useHotkeys([
    [
      '/',
      () => {
        field.current?.focus();
      },
    ],
  ]);

  const leave = (place: Place) => {
    place.go();
    setText('');
    setOpen(false);
    field.current?.blur();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = places[at];
    if (step && places.length > 0) {
      event.preventDefault();
      setAt((at + step + places.length) % places.length);
    } else if (event.key === 'Enter' && chosen) leave(chosen);
    else if (event.key === 'Escape') {
      setText('');
      field.current?.blur();
    }
  };
  return (
    <div className={classes.jump}>
      <TextInput
        ref={field}
        className={classes.field}
        placeholder="Search comparisons, artifacts, builds"
        aria-label="Search comparisons, artifacts, services and builds"
        role="combobox"
        aria-expanded={shown}
        aria-controls={list}
        aria-activedescendant={shown && places[at] ? `${list}-${at}` : undefined}
        autoComplete="off"
        value={text}
        rightSection={<kbd>/</kbd>}
        rightSectionPointerEvents="none"
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
          setOpen(true);
        }}
        onBlur={() => setOpen(false)}
        onFocus={() => setOpen(true)}
        onKeyDown={press}
      />
      {shown && (
        <div className={classes.places}>
          <ul id={list} role="listbox" aria-label="Search results">
            {places.map((place, index) => (
              <li
                key={place.key}
                id={`${list}-${index}`}
                role="option"
                aria-selected={index === at}
                className={classes.place}
                onMouseEnter={() => setAt(index)}
                onMouseDown={(event) => {
                  event.preventDefault();
                  leave(place);
                }}
              >
                <span className="cut">{place.name}</span>
                <span className="muted">{place.kind}</span>
              </li>
            ))}
          </ul>
          {places.length === 0 && <p className={classes.none}>No results.</p>}
        </div>
      )}
    </div>
  );
}
