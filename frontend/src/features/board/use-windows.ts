/** Dragging chooses windows to compare instead of a part to zoom to, as long as somebody wants that. */
import { useMutation } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { compareWindows, whyNot, type Chosen } from './windows';

export type Windows = {
  /** What a drag is for: the candidate's window, then the base's; 'zoom' unless windows are chosen. */
  wants: 'zoom' | 'candidate' | 'base';
  candidate: Chosen | null;
  pending: boolean;
  /** Why the base that was chosen last is none. */
  refused: string | null;
  error: Error | null;
  begin: () => void;
  end: () => void;
  chosen: (window: Chosen) => void;
  /** A window was dragged over that can not be compared. */
  refuse: (why: string) => void;
};

export function useWindows(environmentId: string, onComparison: (id: string) => void): Windows {
  const [going, setGoing] = useState(false);
  const [candidate, setCandidate] = useState<Chosen | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: ({ base, other }: { base: Chosen; other: Chosen }) =>
      compareWindows(environmentId, base, other),
    onSuccess: onComparison,
  });
  const begin = useCallback(() => {
    setGoing(true);
    setCandidate(null);
    setRefused(null);
    reset();
  }, [reset]);
  const end = useCallback(() => {
    setGoing(false);
  }, []);
  const chosen = useCallback(
    (window: Chosen) => {
      if (!candidate) {
        setRefused(null);
        setCandidate(window);
        return;
      }
      const why = whyNot(window, candidate);
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
