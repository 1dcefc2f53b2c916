import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import classes from './CopyField.module.css';

/** Something to take along, shown whole and copied by one button; selected on focus for those who copy by hand. */
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
      <TextInput
        className={classes.text}
        classNames={{ input: 'mono' }}
        label={label}
        description={description}
        value={value}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button onClick={() => void copy()} aria-live="polite">
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  );
}
