/** The spans' part of a comparison: read, on its way, failed, or told. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorState, SkeletonRows } from '../../ui';
import { SpansBody, type BodyProps } from './SpansBody';
import { spansPartQuery } from './queries';
import classes from './spans.module.css';

export type SpansSectionProps = Omit<BodyProps, 'told'> & { comparisonId: string };

export default function SpansSection({ comparisonId, ...body }: SpansSectionProps) {
  const spans = useQuery(spansPartQuery(comparisonId));
  if (spans.error) {
    return (
      <div className={classes.inset}>
        <ErrorState
          what="The spans could not be read"
          error={spans.error}
          action={<Button onClick={() => void spans.refetch()}>Try again</Button>}
        />
      </div>
    );
  }
  if (!spans.data) {
    return (
      <div className={classes.inset}>
        <SkeletonRows rows={14} height={42} label="Reading the spans" />
      </div>
    );
  }
  return <SpansBody told={spans.data} {...body} />;
}
