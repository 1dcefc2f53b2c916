import { useQuery } from '@tanstack/react-query';
import type { SideSource } from '../../../api';
import { ErrorState } from '../../../ui';
import classes from './compare.module.css';
import { suggestionsQuery } from './preview-queries';

/** So many recent pairs fit beside the suggested ones. */
const RECENT = 3;

type Pair = { base: SideSource; candidate: SideSource };
type PairsProps = { serviceId: string; onPick: (pair: Pair) => void };

/** Pairs that are worth comparing, and those that the user compared recently. */
export function SuggestedPairs({ serviceId, onPick }: PairsProps) {
  const { data, error } = useQuery(suggestionsQuery(serviceId));
  if (error) return <ErrorState compact what="Could not load suggested pairs" error={error} />;
  if (!data || data.suggestions.length + data.recent.length === 0) return null;
  return (
    <div className={classes.suggested}>
      {data.suggestions.length > 0 && <span className="muted">suggested</span>}
      {data.suggestions.map((pair) => (
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
      {data.recent.length > 0 && <span className="muted">recent</span>}
      {data.recent.slice(0, RECENT).map((pair) => (
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
