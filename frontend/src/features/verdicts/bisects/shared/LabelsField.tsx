/** The field of runner labels: only runners with all of these labels may deploy for a bisect. */
import { TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import '../../../../ui/pill-styles';
import { labelTexts, labelsOf, type Labels } from './runner-labels';
import { runnersQuery } from './bisect-queries';

type Props = { value: Labels; onChange: (value: Labels) => void };

export function LabelsField({ value, onChange }: Props) {
  const runners = useQuery(runnersQuery);
  const known = new Set((runners.data ?? []).flatMap(({ labels }) => labelTexts(labels)));
  return (
    <TagsInput
      label="Runner labels"
      description="name=value, as passed to the runner with --label; empty for any runner"
      placeholder={Object.keys(value).length === 0 ? 'zone=eu' : ''}
      data={[...known].sort()}
      value={labelTexts(value)}
      maxTags={20}
      clearButtonProps={{ 'aria-label': 'Clear' }}
      onChange={(texts) => onChange(labelsOf(texts))}
    />
  );
}
