import { Button } from '@mantine/core';
import { useState } from 'react';
import classes from './dashboard.module.css';

/** Lines of configuration with a button that copies them. */
export function CodeSnippet({ title, text }: { title: string; text: string }) {
  const [copied, setCopied] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(text);
    } catch {
      // The browser forbids access to the clipboard; the lines can still be selected.
    }
  };
  return (
    <figure className={classes.snippet}>
      <figcaption>
        {title}
        <Button onClick={() => void copy()} aria-live="polite" aria-label={`Copy ${title}`}>
          {copied === text ? 'Copied' : 'Copy'}
        </Button>
      </figcaption>
      {/* Long lines scroll; the tab stop makes this possible with the keyboard. */}
      <pre tabIndex={0} role="region" aria-label={title}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
