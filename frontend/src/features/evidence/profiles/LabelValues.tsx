/** The values of one label with their shares, and a link that compares the two largest. */
import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import type { LabelKey, LabelMatcher } from '../../../api';
import { formatShare } from '../../../engine/format/format';
import { visibleName } from '../../../engine/flame/frame-label';
import { HiddenInSnapshot, countText } from '../../../ui';
import classes from './profiles.module.css';

const LISTED = 8;

/** The most characters of a value in a link's text. */
const MOST_IN_WORDS = 40;
const shortName = (value: string) => visibleName(value, MOST_IN_WORDS);

type ValuesProps = {
  keys: readonly LabelKey[];
  /** The key whose values are listed; '' = the first. */
  chosen: string;
  onChoose: (key: string) => void;
  /** The label filter; its values are marked. */
  labels: readonly LabelMatcher[];
  onFilter: (label: LabelMatcher) => void;
  compare: (base: LabelMatcher, candidate: LabelMatcher, words: string) => ReactNode;
};

export function LabelValues({ keys, chosen, onChoose, labels, onFilter, compare }: ValuesProps) {
  const found = keys.find(({ key }) => key === chosen) ?? keys[0];
  if (!found) return null;
  const { key, values, without_share: without } = found;
  const shown = values.slice(0, LISTED);
  const [one, other] = values;
  const largest = Math.max(without, ...shown.map(({ share }) => share));
  const isChosen = (value: string | null) =>
    labels.some((label) => label.key === key && label.value === value);
  return (
    <section className={classes.labelValues} aria-label="Label values">
      <h2 className={classes.labelHead}>
        Label
        <Select
          aria-label="Label"
          size="xs"
          w={150}
          data={keys.map((each) => each.key)}
          value={key}
          allowDeselect={false}
          onChange={(next) => onChoose(next ?? '')}
        />
      </h2>
      <ul>
        {shown.map(({ value, share }) => (
          <ValueRow
            key={value}
            words={visibleName(value)}
            share={share}
            largest={largest}
            chosen={isChosen(value)}
            onFilter={() => onFilter({ key, value })}
          />
        ))}
        {without > 0 && (
          <ValueRow
            words="no value"
            share={without}
            largest={largest}
            chosen={isChosen(null)}
            onFilter={() => onFilter({ key, value: null })}
          />
        )}
      </ul>
      {one && other && (
        <HiddenInSnapshot>
          <p className={classes.labelPair}>
            {compare(
              { key, value: one.value },
              { key, value: other.value },
              `Compare ${shortName(one.value)} (${formatShare(one.share)}) with ${shortName(other.value)} (${formatShare(other.share)})`,
            )}
          </p>
        </HiddenInSnapshot>
      )}
      {values.length > LISTED && (
        <p className="muted">{countText(values.length - LISTED)} more values, see Labels.</p>
      )}
    </section>
  );
}

type RowProps = {
  words: string;
  share: number;
  largest: number;
  chosen: boolean;
  onFilter: () => void;
};

function ValueRow({ words, share, largest, chosen, onFilter }: RowProps) {
  return (
    <li className={classes.relative} data-chosen={chosen || undefined}>
      <button
        type="button"
        className="mono cut"
        title={`${chosen ? 'Without' : 'With'} the samples of this value: ${words}`}
        aria-pressed={chosen}
        onClick={onFilter}
      >
        {words}
      </button>
      <span className={classes.relativeBar} aria-hidden="true">
        <i style={{ width: `${largest > 0 ? (100 * share) / largest : 0}%` }} />
      </span>
      <span>{formatShare(share)}</span>
    </li>
  );
}
