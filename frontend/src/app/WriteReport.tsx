/** *Write the report* of a bisect that has ended: the answer in prose, its page, and what it was about, all frozen. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { Bisect } from '../api';
import { proseOf } from '../features/bisects';
import { behindComparison, comparisonQuery } from '../features/comparisons';
import { behindRegression } from '../features/regressions';
import { writeReport } from '../features/reports';
import { ErrorState } from '../ui';

/** What the page of a comparison asks for, though nobody has opened it. */
async function allBehind(client: QueryClient, id: string): Promise<string[]> {
  await client.query(comparisonQuery(id));
  return [`/comparisons/${id}`, ...(await behindComparison(client, id))];
}

type Props = { bisect: Bisect; onWritten: (report_id: string) => void };

export function WriteReport({ bisect, onWritten }: Props) {
  const client = useQueryClient();
  const write = useMutation({
    mutationFn: async () => {
      const { regression, comparison_id: comparison } = bisect;
      return writeReport(client, {
        title: `Bisect ${bisect.number}: ${bisect.sentence}`,
        prose: proseOf(bisect),
        page: { title: `Bisect ${bisect.number}`, path: `/bisects/${bisect.id}` },
        others: [
          ...(regression
            ? [
                {
                  title: regression.title,
                  path: `/regressions/${regression.id}`,
                  requests: behindRegression(regression.id),
                },
              ]
            : []),
          ...(comparison
            ? [
                {
                  title: 'The comparison it began with',
                  path: `/comparisons/${comparison}`,
                  requests: await allBehind(client, comparison),
                },
              ]
            : []),
        ],
      });
    },
    onSuccess: onWritten,
    onSettled: () => client.invalidateQueries({ queryKey: ['report'] }),
  });
  return (
    <>
      {write.error && <ErrorState compact what="The report was not written" error={write.error} />}
      <Button
        variant="filled"
        loading={write.isPending}
        onClick={() => {
          write.mutate();
        }}
      >
        Write the report
      </Button>
    </>
  );
}
