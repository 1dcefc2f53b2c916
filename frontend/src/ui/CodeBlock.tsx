import { useState, type ReactNode } from 'react';
import classes from './CodeBlock.module.css';

/** A code block with a button that copies it. */
export function CodeBlock({ text, children }: { text: string; children: ReactNode }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      setCopied(false);
    }
  };
  return (
    <div className={classes.code}>
      <pre tabIndex={0}>{children}</pre>
      <button type="button" className={classes.copy} aria-live="polite" onClick={() => void copy()}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
