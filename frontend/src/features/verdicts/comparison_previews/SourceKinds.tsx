import { SOURCE_KINDS, type SideName, type SourceKind } from './side-choice';
import { SOURCE_LABELS } from './preview-wording';
import classes from './compare.module.css';

type KindsProps = { side: SideName; kind: SourceKind; onKind: (kind: SourceKind) => void };

/**
 * Shows the kinds of sources as radio buttons, on narrow screens in two rows. The arrow keys move
 * between them.
 */
export function SourceKinds({ side, kind, onKind }: KindsProps) {
  return (
    <fieldset className={classes.kinds}>
      <legend className="unseen">{`Source of the ${side}`}</legend>
      {SOURCE_KINDS.map((each) => (
        <label key={each}>
          <input
            type="radio"
            className="unseen"
            name={`${side}-kind`}
            checked={each === kind}
            onChange={() => onKind(each)}
          />
          <span>{SOURCE_LABELS[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}
