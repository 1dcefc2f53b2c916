/** One table of all effects: a row per variant, a column per measure. */
import type { Experiment, VariantEffect } from '../../../api';
import { formatNumber, formatValue } from '../../../engine/format/format';
import classes from './experiments.module.css';
import { PARENT, effectText, removesText, variantText } from './experiment-wording';

type Props = { experiment: Experiment; parent: string | null };

export function EffectsTable({ experiment, parent }: Props) {
  const { effects, measures, measure, failures, best } = experiment;
  const variants = [...new Set(effects.map(({ variant }) => variant))];
  const hasShare = effects.some(({ removes }) => removes !== null);
  const reasons = new Map(failures.map(({ variant, reason }) => [variant, reason]));
  const value = (name: string, base: number) =>
    name === measure ? formatValue(base, experiment.unit) : formatNumber(base);
  return (
    <div className={classes.scroll}>
      <table className={classes.effects}>
        <thead>
          <tr>
            <th scope="col">Variant</th>
            {measures.map(({ name, is_larger_better }) => (
              <th key={name} scope="col">
                {name}
                {is_larger_better && ', larger is better'}
              </th>
            ))}
            {hasShare && <th scope="col">Removes of the increase</th>}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Bad commit, unchanged</th>
            {measures.map(({ name, base }) => (
              <td key={name}>{base === null ? '–' : value(name, base)}</td>
            ))}
            {hasShare && <td />}
          </tr>
          {variants.map((variant) => {
            const row = effects.filter((one) => one.variant === variant);
            const reason = reasons.get(variant);
            return (
              <tr key={variant} data-best={variant === best || undefined}>
                <th scope="row">
                  {variantText(variant, parent)}
                  {variant === best && <span className="muted"> best</span>}
                </th>
                {reason === undefined ? (
                  <Cells row={row} names={measures.map(({ name }) => name)} />
                ) : (
                  <td colSpan={measures.length}>Not measured: {reason}</td>
                )}
                {hasShare && <td>{variant === PARENT ? '' : removesOf(row, measure)}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function removesOf(row: VariantEffect[], measure: string): string {
  const one = row.find((effect) => effect.measure === measure);
  return one ? removesText(one) : '–';
}

function Cells({ row, names }: { row: VariantEffect[]; names: string[] }) {
  return names.map((name) => {
    const one = row.find(({ measure }) => measure === name);
    const certain = one?.verdict === 'better' || one?.verdict === 'worse';
    return (
      <td key={name} className={certain ? classes[one.verdict] : 'muted'}>
        {one ? effectText(one) : '–'}
        {certain && ` ${one.verdict}`}
      </td>
    );
  });
}
