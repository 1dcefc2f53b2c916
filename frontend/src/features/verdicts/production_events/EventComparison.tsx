/** The comparison of before and after: its findings, or a button to create it. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ProductionEvent } from '../../../api';
import { EmptyState, ErrorState, Section } from '../../../ui';
import { ComparisonFindings } from '../comparisons';
import { compareEvent } from './event-queries';
import { deploymentName } from './event-wording';

type ComparisonProps = {
  event: ProductionEvent;
  mayWrite: boolean;
  link: (comparisonId: string, words: string) => ReactNode;
  onOpen: (comparisonId: string, finding: number | null) => void;
};

export function EventComparison({ event, mayWrite, link, onOpen }: ComparisonProps) {
  const { comparison, deployments } = event;
  const cause = deployments.find(({ role }) => role === 'cause');
  const title = cause ? `Before and after ${deploymentName(cause)}` : 'Before and after';
  if (!comparison)
    return (
      <Section title={title}>
        <EmptyState action={mayWrite && <CompareEvent event={event} onOpen={onOpen} />}>
          No comparison yet. It is made automatically when both sides have profiles.
        </EmptyState>
      </Section>
    );
  return (
    <Section
      title={title}
      // The first finding has the same content as the headline.
      aside={comparison.findings.length === 0 ? comparison.headline : undefined}
      controls={link(comparison.id, 'Open comparison')}
    >
      <ComparisonFindings id={comparison.id} onOpen={(finding) => onOpen(comparison.id, finding)} />
    </Section>
  );
}

type CompareProps = Pick<ComparisonProps, 'event' | 'onOpen'>;

function CompareEvent({ event, onOpen }: CompareProps) {
  const client = useQueryClient();
  const compare = useMutation({
    mutationFn: () => compareEvent(event.item.id),
    onSuccess: ({ comparison_id }) => onOpen(comparison_id, null),
    onSettled: () => client.invalidateQueries({ queryKey: ['production-event'] }),
  });
  return (
    <>
      <Button variant="filled" loading={compare.isPending} onClick={() => compare.mutate()}>
        Compare before and after
      </Button>
      {compare.error && <ErrorState compact what="Could not compare" error={compare.error} />}
    </>
  );
}
