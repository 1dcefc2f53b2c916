/** The form of an experiment: presets, other variants, a patch, and the number of blocks. */
import { Checkbox, NumberInput, TextInput, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormBody, countOf, onText } from '../../../../ui';
import type { BisectProposalOut } from '../../../../api';
import { ExperimentCriterion } from './ExperimentCriterion';
import type { ExperimentSource } from './experiment-queries';
import { PRESETS } from './experiment-wording';
import classes from '../shared/bisects.module.css';

const BLOCKS = { least: 3, usual: 6, most: 40 };
const PATCH = 'pasted';

type Props = { source: ExperimentSource; onClose: () => void };

export function StartExperiment({ source, onClose }: Props) {
  const client = useQueryClient();
  const presets = PRESETS.filter(({ text }) => text !== 'revert' || source.canRevert);
  const [chosen, setChosen] = useState(presets.map(({ text }) => text));
  const [own, setOwn] = useState('');
  const [patch, setPatch] = useState('');
  const [blocks, setBlocks] = useState<number | null>(BLOCKS.usual);
  const [criterion, setCriterion] = useState<BisectProposalOut['signatures'][number] | null>(null);
  const variants = [
    ...chosen,
    ...own.split(',').flatMap((text) => text.trim().replace(/\s+/gu, ' ') || []),
    ...(patch.trim() === '' ? [] : [`patch=${PATCH}`]),
  ];
  const start = useMutation({
    mutationFn: () =>
      source.create(
        {
          variants,
          blocks: blocks ?? BLOCKS.usual,
          patches: patch.trim() === '' ? {} : { [PATCH]: patch },
        },
        criterion && { kind: criterion.kind, subject: criterion.subject },
      ),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: source.key }),
  });
  const runs = (blocks ?? 0) * (variants.length + 1 + Number(source.parent !== null));
  return (
    <FormBody
      what="Could not start the experiment"
      submit="Measure"
      save={start}
      blocked={blockedBy(variants, blocks)}
      onCancel={onClose}
    >
      <p>
        Each block deploys the commit, every variant
        {source.parent && ` and the ${source.parent.toLowerCase()}`} once, in random order, and
        measures {source.measure ?? 'the criterion'}.
        {!source.canRevert && ' Without a culprit in this repository its revert is not offered.'}
      </p>
      {source.criteria && (
        <ExperimentCriterion of={source.criteria} chosen={criterion} onChoose={setCriterion} />
      )}
      <Checkbox.Group label="Variants" value={chosen} onChange={setChosen}>
        <div className={classes.choices}>
          {presets.map(({ text, label }) => (
            <Checkbox key={text} value={text} label={label} />
          ))}
        </div>
      </Checkbox.Group>
      <TextInput
        label="Other variants"
        description="Separated by commas. Words of one variant are separated by spaces: GOGC, GOMEMLIMIT, GOMAXPROCS, GODEBUG, pgo=auto, revert."
        placeholder="GOGC=off GOMEMLIMIT=1GiB, GOMAXPROCS=4"
        maxLength={1000}
        value={own}
        onChange={onText(setOwn)}
      />
      <Textarea
        label="Patch"
        description="A unified diff of text files, such as git diff prints; at most 64 KiB. Runners execute what it adds."
        rows={4}
        maxLength={65_536}
        value={patch}
        onChange={(event) => setPatch(event.currentTarget.value)}
      />
      <NumberInput
        label="Blocks"
        description={`${countOf(runs, 'deployment')}. More blocks narrow the intervals; more variants widen them.`}
        min={BLOCKS.least}
        max={BLOCKS.most}
        allowDecimal={false}
        value={blocks ?? ''}
        onChange={(given) => setBlocks(given === '' ? null : Number(given))}
      />
    </FormBody>
  );
}

function blockedBy(variants: string[], blocks: number | null): string | undefined {
  if (variants.length === 0) return 'Select at least one variant';
  if (new Set(variants).size < variants.length) return 'A variant is listed twice';
  if (blocks === null || blocks < BLOCKS.least || blocks > BLOCKS.most)
    return `Enter a number of blocks from ${BLOCKS.least} to ${BLOCKS.most}`;
  return undefined;
}
