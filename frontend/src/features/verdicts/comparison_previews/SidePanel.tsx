/** The panel of one side: the kind of its source, the fields to choose it, and what it contains. */
import type { SidePreview, SideSource } from '../../../api';
import { ErrorState, SideMark, SkeletonRows } from '../../../ui';
import { ArtifactSource } from './ArtifactSource';
import { LabelSource } from './LabelSource';
import { SearchedSource, type SourceProps } from './SearchedSource';
import { SideContents } from './SideContents';
import { SourceKinds } from './SourceKinds';
import { TimeRangeSource } from './TimeRangeSource';
import classes from './compare.module.css';
import { sourceText } from './preview-wording';
import { withLabels, type SideChoice, type SideName, type SourceKind } from './side-choice';

type SidePreviewState = {
  data: SidePreview | null | undefined;
  error: Error | null;
  isLoading: boolean;
};

type PanelProps = SourceProps & {
  side: SideName;
  /** The source of the other side: a label value can be of its profiles. */
  otherSource: SideSource | null;
  preview: SidePreviewState;
  other: SidePreview | null | undefined;
  onClear: () => void;
};

export function SidePanel(props: PanelProps) {
  const { side, choice, onChoice, otherSource, preview, other, onClear } = props;
  const { source } = choice;
  const onKind = (kind: SourceKind) =>
    onChoice(
      { ...choice, kind, find: '', source: sourceForKind(kind, choice, otherSource) },
      false,
    );
  return (
    <section className={classes.side} aria-label={side}>
      <h2 className={classes.sideHead}>
        <SideMark side={side} label />
        <span className="muted cut">{source && sourceText(source, preview.data)}</span>
        <span className="grow" />
        {source && (
          <button
            type="button"
            className="link"
            aria-label={`Clear side: ${side}`}
            onClick={onClear}
          >
            Clear side
          </button>
        )}
      </h2>
      <SourceKinds side={side} kind={choice.kind} onKind={onKind} />
      <div className={classes.fields} key={choice.kind}>
        <SourceFields choice={choice} onChoice={onChoice} preview={preview.data} />
      </div>
      {preview.error && <ErrorState error={preview.error} />}
      {preview.isLoading && <SkeletonRows rows={4} height={26} label={`Reading the ${side}`} />}
      {preview.data && <SideContents preview={preview.data} other={other} />}
    </section>
  );
}

/**
 * Returns the source of a side after a change of its kind. It does not change, but for a label
 * value, a side without a source gets that of the other side.
 */
function sourceForKind(
  kind: SourceKind,
  { source }: SideChoice,
  otherSource: SideSource | null,
): SideSource | null {
  if (kind !== 'label' || source) return source;
  return otherSource && withLabels(otherSource, []);
}

type FieldsProps = SourceProps & { preview: SidePreview | null | undefined };

function SourceFields({ choice, onChoice, preview }: FieldsProps) {
  switch (choice.kind) {
    case 'time':
      return <TimeRangeSource choice={choice} onChoice={onChoice} />;
    case 'artifacts':
      return <ArtifactSource choice={choice} onChoice={onChoice} />;
    case 'label':
      return <LabelSource choice={choice} onChoice={onChoice} preview={preview} />;
    default:
      return <SearchedSource type={choice.kind} choice={choice} onChoice={onChoice} />;
  }
}
