/** The meaning of a term, loaded with the glossary when it is first opened. Escape closes it. */
import { Popover } from '@mantine/core';
import glossary from '../../docs/glossary.md?raw';
import { TERMS, meaningOf } from '../lib/glossary';
import { useFirstOpen } from './LazyPopover';
import classes from './Terms.module.css';
import type { TermProps } from './term-props';

export default function TermPopover({ name, children, detail }: TermProps) {
  const button = useFirstOpen();
  const { entry, section } = TERMS[name];
  const meaning = meaningOf(glossary, entry);
  return (
    <Popover position="bottom-start" trapFocus returnFocus withRoles hideDetached={false}>
      <Popover.Target>
        <button type="button" ref={button} className={classes.term} title={detail}>
          {children}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={name}>
        {detail !== undefined && <p className="mono">{detail}</p>}
        <p className={classes.meaning}>
          <b>{name}</b>: {meaning}.
        </p>
        <a className="link" href={`/help/glossary#${section}`} target="_blank" rel="noopener">
          Glossary
        </a>
      </Popover.Dropdown>
    </Popover>
  );
}
