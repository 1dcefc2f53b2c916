/** One table of all effects: a row per variant, a column per measure. */
import type { Experiment, VariantEffect } from '../../../../api';
import { formatNumber, formatValue } from '../../../../engine/format/format';
import { Term } from '../../../../ui/Terms';
import classes from './experiments.module.css';
import {
  PARENT,
  effectDetail,
  percentText,
  removesDetail,
  removesText,
  variantText,
} from './experiment-wording';

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
                {hasShare && (
                  <td>
                    {variant !== PARENT && (
                      <Removes effect={row.find((one) => one.measure === measure)} />
                    )}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Removes({ effect }: { effect: VariantEffect | undefined }) {
  if (!effect?.removes) return '–';
  return (
    <Term name="confidence interval" detail={removesDetail(effect)}>
      {removesText(effect)}
    </Term>
  );
}

function Cells({ row, names }: { row: VariantEffect[]; names: string[] }) {
  return names.map((name) => {
    const one = row.find(({ measure }) => measure === name);
    const isCertain = one?.verdict === 'better' || one?.verdict === 'worse';
    return (
      <td key={name} className={isCertain ? classes[one.verdict] : 'muted'}>
        {one ? <Effect effect={one} /> : '–'}
      </td>
    );
  });
}

/** Shows the verdict of an effect, with its interval in a popover. */
function Effect({ effect }: { effect: VariantEffect }) {
  const { verdict, effect: share } = effect;
  const detail = effectDetail(effect);
  if (verdict === 'not measured' || share === null || detail === '') return '–';
  return (
    <>
      <Term name="confidence interval" detail={detail}>
        {verdict}
      </Term>
      {verdict !== 'no effect' && ` ${percentText(share)}`}
    </>
  );
}
