/** The menu of `CopyMenu`, loaded when it is first opened. */
import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { formatMarkdown, formatSlack, type CopiedText } from '../lib/copied-text';
import type { CopyMenuProps } from './CopyMenu';
import { useFirstOpen } from './LazyPopover';
import './mantine-styles';

const FORMS: readonly [string, (text: CopiedText) => string][] = [
  ['Copy as Markdown', formatMarkdown],
  ['Copy for Slack', formatSlack],
  ['Copy link', ({ url }) => url],
];

export default function CopyMenuItems({ text }: CopyMenuProps) {
  const button = useFirstOpen();
  const [outcome, setOutcome] = useState('Copy');
  const copy = async (format: (text: CopiedText) => string) => {
    const found = text();
    try {
      if (found === null) throw new Error('the page has no data yet');
      await navigator.clipboard.writeText(format(found));
      setOutcome('Copied');
    } catch {
      setOutcome('Not copied');
    }
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button ref={button}>{outcome}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMS.map(([name, format]) => (
          <Menu.Item key={name} onClick={() => void copy(format)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
