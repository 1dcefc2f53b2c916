/**
 * Creates a report of a bisect that has ended: its result as text, and snapshots of the bisect, the
 * culprit commit, the regression and the initial comparison.
 */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { Bisect } from '../api';
import { regressionBisectRequests, makeBisectReportText } from '../features/verdicts/bisects';
import { readWholeDiff, repositoriesQuery } from '../features/inventory/repositories';
import { comparisonSnapshotRequests, comparisonQuery } from '../features/verdicts/comparisons';
import { regressionSnapshotRequests } from '../features/verdicts/regressions';
import { createReportFrom } from '../features/sharing/reports';
import { ErrorState } from '../ui';
import { shortCommit } from '../lib/commits';

/** Loads what the page of a comparison shows, without opening it, and returns the requests. */
async function allBehind(client: QueryClient, id: string): Promise<string[]> {
  await client.query(comparisonQuery(id));
  return [`/comparisons/${id}`, ...(await comparisonSnapshotRequests(client, id))];
}

/**
 * Returns the page of the culprit commit and loads its diff; returns nothing if its repository is
 * not one of the team's.
 */
async function ofCommit(client: QueryClient, { culprit }: Bisect) {
  if (!culprit) return [];
  const { items } = await client.query(repositoriesQuery);
  const { repository } = culprit;
  const found = items.find(({ name, url }) => name === repository || url === repository);
  if (!found) return [];
  const path = `/repositories/${found.id}/commits/${culprit.sha}`;
  await readWholeDiff(client, found.id, culprit.sha);
  return [
    {
      title: `${shortCommit(culprit.sha)}: ${culprit.title}`,
      path,
      requests: [path, `${path}/diff`],
    },
  ];
}

type Props = { bisect: Bisect; onWritten: (report_id: string) => void };

export function WriteBisectReport({ bisect, onWritten }: Props) {
  const client = useQueryClient();
  const write = useMutation({
    mutationFn: async () => {
      const { regression, comparison_id: comparison } = bisect;
      return createReportFrom(client, {
        title: `Bisect ${bisect.number}: ${bisect.sentence}`,
        prose: makeBisectReportText(bisect),
        page: { title: `Bisect ${bisect.number}`, path: `/bisects/${bisect.id}` },
        others: [
          ...(await ofCommit(client, bisect)),
          ...(regression
            ? [
                {
                  title: regression.title,
                  path: `/regressions/${regression.id}`,
                  requests: [
                    ...regressionSnapshotRequests(regression.id),
                    regressionBisectRequests(regression.id),
                  ],
                },
              ]
            : []),
          ...(comparison
            ? [
                {
                  title: 'The initial comparison',
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
      {write.error && <ErrorState compact what="Could not create the report" error={write.error} />}
      <Button variant="filled" loading={write.isPending} onClick={() => write.mutate()}>
        Create report
      </Button>
    </>
  );
}
