import { useEffect, useRef } from 'react';
import type { PaletteEntry, PaletteGroup } from './palette-entries';
import classes from './search.module.css';

type ResultsProps = {
  id: string;
  groups: PaletteGroup[];
  /** The position of the active entry among those of all groups. */
  active: number;
  onActivate: (at: number) => void;
  onChoose: (entry: PaletteEntry) => void;
};

export function PaletteResults({ id, groups, active, onActivate, onChoose }: ResultsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active, groups]);
  const starts = groups.map((_, at) =>
    groups.slice(0, at).reduce((count, { entries }) => count + entries.length, 0),
  );
  return (
    <div ref={list} id={id} role="listbox" aria-label="Results" className={classes.results}>
      {groups.map(({ name, entries }, groupAt) => (
        <div key={name} role="group" aria-label={name}>
          <div className={classes.group} aria-hidden>
            {name}
          </div>
          {entries.map((entry, entryAt) => {
            const at = (starts[groupAt] ?? 0) + entryAt;
            return (
              <div
                key={at}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === active}
                className={classes.entry}
                onMouseMove={() => onActivate(at)}
                onClick={() => onChoose(entry)}
              >
                <span className={classes.title}>{entry.title}</span>
                <span className={classes.subtitle}>{entry.subtitle}</span>
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}
