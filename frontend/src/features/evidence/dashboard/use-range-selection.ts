/** While this mode is on, a drag selects a time range to compare instead of a range to zoom to. */
import { useMutation } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import {
  compareRanges,
  explainInvalidRange,
  explainLongRange,
  type SelectedRange,
} from './time-ranges';

export type RangeSelection = {
  /** What a drag selects: the candidate's range, then the base's; 'zoom' while the mode is off. */
  wants: 'zoom' | 'candidate' | 'base';
  candidate: SelectedRange | null;
  pending: boolean;
  /** Why the last selected time range cannot be compared. */
  refused: string | null;
  error: Error | null;
  begin: () => void;
  end: () => void;
  chosen: (window: SelectedRange) => void;
  /** Sets why the selected time range cannot be compared. */
  refuse: (why: string) => void;
};

export function useRangeSelection(
  environmentId: string,
  onComparison: (id: string) => void,
): RangeSelection {
  const [going, setGoing] = useState(false);
  const [candidate, setCandidate] = useState<SelectedRange | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: ({ base, other }: { base: SelectedRange; other: SelectedRange }) =>
      compareRanges(environmentId, base, other),
    onSuccess: onComparison,
  });
  const begin = useCallback(() => {
    setGoing(true);
    setCandidate(null);
    setRefused(null);
    reset();
  }, [reset]);
  const end = useCallback(() => setGoing(false), []);
  const chosen = useCallback(
    (window: SelectedRange) => {
      if (!candidate) {
        const tooLong = explainLongRange(window);
        setRefused(tooLong);
        if (tooLong === null) setCandidate(window);
        return;
      }
      const why = explainInvalidRange(window, candidate);
      setRefused(why);
      if (why === null) mutate({ base: window, other: candidate });
    },
    [candidate, mutate],
  );
  return {
    wants: !going ? 'zoom' : candidate ? 'base' : 'candidate',
    candidate,
    pending: isPending,
    refused,
    error,
    begin,
    end,
    chosen,
    refuse: setRefused,
  };
}
