/**
 * All candidates of a level that has too many for one list: page by page, or those that match a
 * search.
 */
import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Bisect, BisectLevel } from '../../../../api';
import { EmptyState, ErrorState, SkeletonRows, countText, onText } from '../../../../ui';
import { Candidates } from './Candidates';
import classes from '../shared/bisects.module.css';
import type { SelectedCandidate } from './bisect-levels';
import { candidatesQuery } from '../shared/bisect-queries';

type Props = {
  bisect: Bisect;
  level: BisectLevel;
  chosen: string | null;
  onPick: (picked: SelectedCandidate) => void;
  commit: (sha: string, words: ReactNode) => ReactNode;
};

const MOST_LETTERS = 200;

export function AllCandidates({ bisect, level, chosen, onPick, commit }: Props) {
  const [words, setWords] = useState('');
  const [settled] = useDebouncedValue(words.trim(), 200);
  const found = useInfiniteQuery(candidatesQuery(bisect.id, level.key, settled));
  const pages = found.data?.pages ?? [];
  const rows = pages.flatMap(({ items }) => items);
  const places = new Map(
    pages.flatMap((page) => page.items.map(({ id }, at) => [id, page.places[at]!] as const)),
  );
  const count = pages[0]?.found ?? 0;
  return (
    <>
      <div className={classes.search}>
        <TextInput
          aria-label="Find a candidate"
          placeholder="commit, title or reason"
          maxLength={MOST_LETTERS}
          value={words}
          onChange={onText(setWords)}
        />
        <span className="muted" role="status">
          {found.data &&
            (settled === ''
              ? `${countText(rows.length)} of ${countText(count)} shown`
              : `${countText(count)} of ${countText(level.candidate_count)} match`)}
        </span>
      </div>
      {found.error && (
        <ErrorState compact what="Could not load the candidates" error={found.error} />
      )}
      {found.isPending && <SkeletonRows rows={6} height={28} label="Loading the candidates" />}
      {rows.length > 0 && (
        <Candidates
          rows={rows}
          chosen={chosen}
          onChoose={(candidate) => {
            const index = places.get(candidate.id);
            if (index !== undefined) onPick({ level: level.key, index, candidate });
          }}
          commit={commit}
        />
      )}
      {found.data && rows.length === 0 && <EmptyState>No candidates match.</EmptyState>}
      {found.hasNextPage && (
        <div className={classes.more}>
          <Button loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            Load older candidates
          </Button>
        </div>
      )}
    </>
  );
}
