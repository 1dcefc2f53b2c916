import { Button } from '@mantine/core';
import { useState } from 'react';
import classes from './dashboard.module.css';

/** Lines to take along. */
export function CodeSnippet({ title, text }: { title: string; text: string }) {
  const [copied, setCopied] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(text);
    } catch {
      // Forbidden: the lines can be selected.
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
      {/* Long lines scroll: reached by keyboard, too. */}
      <pre tabIndex={0} role="region" aria-label={title}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
