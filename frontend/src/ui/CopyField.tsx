import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import classes from './CopyField.module.css';

/** Sets the number of rows in browsers that do not size a field by its content. */
const CHARACTERS_PER_ROW = 60;

/** A field with a button that copies its text; focus selects the text, to copy it by hand. */
export function CopyField({
  label,
  value,
  description,
}: {
  label: string;
  value: string;
  description?: string;
}) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch {
      setCopied(false);
    }
  };
  return (
    <div className={classes.field}>
      <Textarea
        className={classes.text}
        classNames={{ input: `mono ${classes.input}` }}
        label={label}
        description={description}
        value={value}
        rows={Math.ceil(value.length / CHARACTERS_PER_ROW)}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button onClick={() => void copy()} aria-live="polite">
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  );
}
