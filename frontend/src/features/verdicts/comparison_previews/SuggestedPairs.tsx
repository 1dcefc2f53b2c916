import { useQuery } from '@tanstack/react-query';
import type { LabelPair, SidePreview, SideSource } from '../../../api';
import { ErrorState } from '../../../ui';
import classes from './compare.module.css';
import { suggestionsQuery } from './preview-queries';
import { labelPairText } from './preview-wording';
import { SIDES, withLabels, type SideName, type SidesChoice } from './side-choice';

/** The number of recent pairs that fit beside the suggested ones. */
const RECENT = 3;

type Pair = { base: SideSource; candidate: SideSource };
type PairsProps = {
  serviceId: string;
  choice: SidesChoice;
  previews: Record<SideName, SidePreview | null | undefined>;
  onPick: (pair: Pair) => void;
};

/** Shows suggested pairs, and those that the user compared recently. */
export function SuggestedPairs({ serviceId, choice, previews, onPick }: PairsProps) {
  const { data, error } = useQuery(suggestionsQuery(serviceId));
  if (error) return <ErrorState compact what="Could not load suggested pairs" error={error} />;
  const ofLabel = findLabelPair(choice, previews);
  const { suggestions = [], recent = [] } = data ?? {};
  const hasSuggestion = ofLabel !== null || suggestions.length > 0;
  if (!hasSuggestion && recent.length === 0) return null;
  return (
    <div className={classes.suggested}>
      {hasSuggestion && <span className="muted">suggested</span>}
      {ofLabel && <LabelPairChip {...ofLabel} onPick={onPick} />}
      {suggestions.map((pair) => (
        <button
          key={pair.id}
          type="button"
          className={classes.chip}
          title={`${pair.base_label} with ${pair.candidate_label}`}
          onClick={() => onPick(pair)}
        >
          {pair.title}
        </button>
      ))}
      <span className="grow" />
      {recent.length > 0 && <span className="muted">recent</span>}
      {recent.slice(0, RECENT).map((pair) => (
        <button
          key={pair.comparison_id}
          type="button"
          className={`link cut ${classes.recent}`}
          title={pair.name}
          onClick={() => onPick(pair)}
        >
          {`${pair.base_label} with ${pair.candidate_label}`}
        </button>
      ))}
    </div>
  );
}

type PairOfSource = { source: SideSource; pair: LabelPair };

/**
 * Returns two values of a label of the chosen profiles, or null. A side that is limited to a value
 * has no such pair.
 */
function findLabelPair(choice: SidesChoice, previews: PairsProps['previews']): PairOfSource | null {
  for (const side of SIDES) {
    const { source } = choice[side];
    const pair = previews[side]?.label_pair;
    if (source && pair) return { source, pair };
  }
  return null;
}

function LabelPairChip({ source, pair, onPick }: PairOfSource & { onPick: (pair: Pair) => void }) {
  const { key, first, second } = pair;
  return (
    <button
      type="button"
      className={classes.chip}
      title={`${key}=${first.value} with ${key}=${second.value}`}
      onClick={() =>
        onPick({
          base: withLabels(source, [{ key, value: first.value }]),
          candidate: withLabels(source, [{ key, value: second.value }]),
        })
      }
    >
      {labelPairText(pair)}
    </button>
  );
}
