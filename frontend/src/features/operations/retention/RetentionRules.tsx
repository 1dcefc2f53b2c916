import { Button, Checkbox, NumberInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Retention as Kept, RetentionPreviewOut, RetentionRule } from '../../../api';
import {
  DeleteDialog,
  ErrorState,
  Section,
  SkeletonRows,
  Timestamp,
  countText,
  sizeText,
} from '../../../ui';
import classes from './retention.module.css';
import {
  updateRetention,
  expiryPreviewQuery,
  retentionQuery,
  type Days,
} from './retention-queries';
import { daysText, extraText, filesText, kindText } from './retention-wording';

const SETTLE_MS = 250;
/** The initial value of the field when retention is no longer unlimited. */
const USUAL_DAYS = 90;

/**
 * The retention of each kind of data. The preview of what is deleted is shown before the rules are
 * saved.
 */
export function RetentionRules({ mayManage }: { mayManage: boolean }) {
  const rules = useQuery(retentionQuery);
  return (
    <Section title="Retention" aside="older data is deleted">
      {rules.error && (
        <ErrorState
          what="Could not load the retention rules"
          error={rules.error}
          action={<Button onClick={() => void rules.refetch()}>Try again</Button>}
        />
      )}
      {rules.isPending && <SkeletonRows rows={8} />}
      {rules.data && <Rules policy={rules.data} mayManage={mayManage} />}
    </Section>
  );
}

function Rules({ policy, mayManage }: { policy: Kept; mayManage: boolean }) {
  const client = useQueryClient();
  const [changed, setChanged] = useState<Days>({});
  const [asking, setAsking] = useState(false);
  const [settled] = useDebouncedValue(changed, SETTLE_MS);
  const preview = useQuery(expiryPreviewQuery(settled));
  const save = useMutation({
    mutationFn: () => updateRetention(changed),
    onSuccess: async (saved) => {
      client.setQueryData(retentionQuery.queryKey, saved);
      setChanged({});
      setAsking(false);
      await client.invalidateQueries({ queryKey: ['usage'] });
    },
  });
  const change = (rule: RetentionRule, days: number | null) => {
    const others = Object.entries(changed).filter(([kind]) => kind !== rule.kind);
    setChanged(
      Object.fromEntries(days === rule.retention_days ? others : [...others, [rule.kind, days]]),
    );
  };
  const dirty = Object.keys(changed).length > 0;
  const doomed = preview.data?.files ?? 0;
  const ready = dirty && settled === changed && preview.data !== undefined && !preview.isFetching;
  return (
    <>
      <p className={classes.note}>
        Data that an open regression or a running comparison needs is not deleted until it is
        closed. Comparisons, series and reports keep their results; reports contain copies.
      </p>
      <RulesTable rules={policy.rules} changed={changed} onDays={mayManage ? change : undefined} />
      {mayManage && (
        <div className={classes.keep}>
          <Button
            variant="filled"
            disabled={!ready}
            loading={save.isPending}
            onClick={() => {
              if (doomed > 0) setAsking(true);
              else save.mutate();
            }}
          >
            Save
          </Button>
          {dirty && <Button onClick={() => setChanged({})}>Undo</Button>}
          <span role="status">
            {dirty && preview.data && <ExpiryPreview preview={preview.data} />}
          </span>
          {preview.error && dirty && <ErrorState compact error={preview.error} />}
          {save.error && !asking && (
            <ErrorState compact what="Could not save the changes" error={save.error} />
          )}
        </div>
      )}
      {asking && (
        <DeleteDialog
          name={filesText(doomed, preview.data?.bytes ?? 0)}
          noun="artifacts"
          remove={save}
          onClose={() => setAsking(false)}
        >
          They exceed the new retention. Their bytes are deleted within minutes and cannot be
          restored.
        </DeleteDialog>
      )}
    </>
  );
}

type RulesTableProps = {
  rules: RetentionRule[];
  /** Changes that are not saved yet, by kind. */
  changed: Days;
  /** Undefined for users who may not change the rules. */
  onDays: ((rule: RetentionRule, days: number | null) => void) | undefined;
};

function RulesTable({ rules, changed, onDays }: RulesTableProps) {
  return (
    <table className={classes.rules}>
      <thead>
        <tr>
          <th>Kind</th>
          <th>Retention</th>
          <th className={classes.right}>Now</th>
          <th className={classes.right}>Oldest</th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule) => (
          <Rule
            key={rule.kind}
            rule={rule}
            days={rule.kind in changed ? (changed[rule.kind] ?? null) : rule.retention_days}
            onDays={onDays ? (days) => onDays(rule, days) : undefined}
          />
        ))}
      </tbody>
    </table>
  );
}

function ExpiryPreview({ preview }: { preview: RetentionPreviewOut }) {
  const stays =
    preview.retained_artifacts > 0 &&
    ` ${countText(preview.retained_artifacts)} of the same age stay because an open regression or running comparison needs them.`;
  if (preview.files === 0) return <>Nothing would be deleted now.{stays}</>;
  return (
    <>
      <b className={classes.gone}>Would delete {filesText(preview.files, preview.bytes)} now.</b>
      {stays}
    </>
  );
}

type RuleProps = {
  rule: RetentionRule;
  days: number | null;
  /** Undefined for users who may not change the rules. */
  onDays: ((days: number | null) => void) | undefined;
};

function Rule({ rule, days, onDays }: RuleProps) {
  const extra = extraText(rule.kind);
  const name = kindText(rule.kind);
  return (
    <tr>
      <td>
        {name}
        {extra && <span className={classes.extra}>{extra}</span>}
      </td>
      <td>
        {onDays ? (
          <span className={classes.days}>
            <NumberInput
              aria-label={`Retention of ${name}, days`}
              className={classes.daysField}
              size="xs"
              allowDecimal={false}
              allowNegative={false}
              min={rule.min_days}
              max={rule.max_days}
              clampBehavior="blur"
              disabled={days === null}
              placeholder="–"
              value={days ?? ''}
              onChange={(value) => {
                if (typeof value === 'number' && value >= 1) onDays(value);
              }}
            />
            <span className="muted">days</span>
            {rule.can_be_unlimited && (
              <Checkbox
                size="xs"
                label="Unlimited"
                aria-label={`${name}: unlimited`}
                checked={days === null}
                onChange={(event) => {
                  onDays(
                    event.currentTarget.checked
                      ? null
                      : (rule.retention_days ?? Math.max(rule.min_days, USUAL_DAYS)),
                  );
                }}
              />
            )}
          </span>
        ) : (
          daysText(days)
        )}
      </td>
      <td className={classes.right}>
        {rule.is_artifact_kind &&
          rule.item_count > 0 &&
          `${countText(rule.item_count)} · ${sizeText(rule.bytes)}`}
        {rule.kind === 'audit' && `${countText(rule.item_count)} entries`}
        {rule.is_artifact_kind && rule.item_count === 0 && <span className="muted">none</span>}
      </td>
      <td className={classes.right}>{rule.oldest_at && <Timestamp at={rule.oldest_at} />}</td>
    </tr>
  );
}
