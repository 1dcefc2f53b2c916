/**
 * The field of the labels that samples of a side must have: typed as "endpoint=/checkout", each
 * with a button that removes it.
 */
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { SideSource } from '../../../api';
import classes from './compare.module.css';
import { labelText, labelsOf, parseLabel, withLabels } from './side-choice';

/** The maximum that the server accepts. */
const MOST_LABELS = 5;

type LabelProps = { source: SideSource | null; onSource: (source: SideSource) => void };

export function LabelField({ source, onSource }: LabelProps) {
  const [text, setText] = useState('');
  const [isInvalid, setIsInvalid] = useState(false);
  const labels = labelsOf(source);
  const reason = source === null ? 'Choose a source first.' : undefined;
  const isFull = labels.length >= MOST_LABELS;
  const add = () => {
    if (text.trim() === '') return;
    const label = parseLabel(text);
    setIsInvalid(label === null);
    if (!label || !source || isFull) return;
    const others = labels.filter(({ key }) => key !== label.key);
    onSource(withLabels(source, [...others, label]));
    setText('');
  };
  return (
    <div className={classes.label}>
      <TextInput
        label="Label value (optional)"
        placeholder={labels.length > 0 ? labels.map(labelText).join(', ') : 'endpoint=/checkout'}
        classNames={{ input: 'mono' }}
        disabled={source === null || isFull}
        title={isFull ? `At most ${MOST_LABELS} labels.` : reason}
        maxLength={2000}
        value={text}
        error={isInvalid && 'Type a key and a value: endpoint=/checkout'}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setIsInvalid(false);
        }}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key === 'Enter') add();
        }}
      />
      {source && labels.length > 0 && (
        <ul className={classes.chips} aria-label="Labels">
          {labels.map((label) => (
            <li key={label.key}>
              <span className="mono cut">{labelText(label)}</span>
              <button
                type="button"
                aria-label={`Remove ${labelText(label)}`}
                onClick={() =>
                  onSource(
                    withLabels(
                      source,
                      labels.filter((each) => each !== label),
                    ),
                  )
                }
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
