/** The menu of `CopyMenu`, loaded when it is first opened. */
import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import {
  formatMarkdown,
  formatSlack,
  type CopiedText,
  type CopyMenuProps,
} from '../lib/copied-text';
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
  const found = async (): Promise<CopiedText> => {
    const copied = await text();
    if (copied === null) throw new Error('the page has no data yet');
    return copied;
  };
  const report = (writing: Promise<void>) => {
    writing.then(
      () => setOutcome('Copied'),
      () => setOutcome('Not copied'),
    );
  };
  const copyText = async (format: (text: CopiedText) => string) =>
    navigator.clipboard.writeText(format(await found()));
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button ref={button}>{outcome}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMS.map(([name, format]) => (
          <Menu.Item key={name} onClick={() => report(copyText(format))}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
