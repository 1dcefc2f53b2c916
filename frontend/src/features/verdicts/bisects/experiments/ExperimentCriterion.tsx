/**
 * The field of the criterion that decides which variant is best. It offers the criteria of a
 * bisect, best first.
 */
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { BisectProposalOut } from '../../../../api';
import { proposalQuery, type Subject } from '../shared/bisect-queries';
import { signatureKey } from '../start/start-request';

type Offered = BisectProposalOut['signatures'][number];
type Props = { of: Subject; chosen: Offered | null; onChoose: (one: Offered) => void };

export function ExperimentCriterion({ of, chosen, onChoose }: Props) {
  const { data } = useQuery(proposalQuery(of));
  const offered = data?.signatures ?? [];
  const shown = chosen ?? offered[0];
  if (!shown) return null;
  return (
    <Select
      label="Criterion"
      description="Decides which variant is best. Other values that the measurements have are compared as well."
      data={offered.map((one) => ({ value: signatureKey(one), label: one.label }))}
      value={signatureKey(shown)}
      allowDeselect={false}
      onChange={(key) => {
        const found = offered.find((one) => signatureKey(one) === key);
        if (found) onChoose(found);
      }}
    />
  );
}
