/** The spans section of a comparison, while loading, after an error, or loaded. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorState, SkeletonRows } from '../../../ui';
import { SpansBody, type BodyProps } from './SpansBody';
import { spansPartQuery } from './span-queries';
import classes from './spans.module.css';

export type SpansSectionProps = Omit<BodyProps, 'sets'> & { comparisonId: string };

export default function SpansSection({ comparisonId, ...body }: SpansSectionProps) {
  const spans = useQuery(spansPartQuery(comparisonId));
  if (spans.error) {
    return (
      <div className={classes.inset}>
        <ErrorState
          what="Could not load the spans"
          error={spans.error}
          action={<Button onClick={() => void spans.refetch()}>Try again</Button>}
        />
      </div>
    );
  }
  if (!spans.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={14} height={42} label="Loading the spans" />
      </div>
    );
  }
  return <SpansBody sets={spans.data} {...body} />;
}
