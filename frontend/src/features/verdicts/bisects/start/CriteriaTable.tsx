/** A table of the criteria that separate good from bad, best first; others are named below. */
import { Radio } from '@mantine/core';
import type { BisectProposalOut } from '../../../../api';
import { formatValue } from '../../../../engine/format/format';
import { IdentifierText } from '../../../../ui';
import { secondsText } from '../shared/bisect-wording';
import { DEFAULT_SETTINGS } from '../shared/bisect-settings';
import { signatureKey } from './start-request';
import classes from './start.module.css';
import '../../../../ui/radio-styles';

type Offered = BisectProposalOut['signatures'][number];
type Props = { offer: BisectProposalOut; chosen: string; onChoose: (one: Offered) => void };

export function CriteriaTable({ offer, chosen, onChoose }: Props) {
  const most = Math.max(...offer.signatures.map(({ separation }) => separation ?? 0), 1);
  return (
    <div role="radiogroup" aria-label="Criterion">
      <table className={classes.criteria}>
        <thead>
          <tr>
            <th>Criterion</th>
            <th>Good</th>
            <th>Bad</th>
            <th>Separation, standard errors</th>
            <th>Per measurement</th>
          </tr>
        </thead>
        <tbody>
          {offer.signatures.map((one) => (
            <CriterionRow
              key={signatureKey(one)}
              one={one}
              most={most}
              isChosen={signatureKey(one) === chosen}
              onChoose={() => onChoose(one)}
            />
          ))}
          {offer.left_out.map(({ label, reason }) => (
            <tr key={label} className={classes.leftOut}>
              <td colSpan={5}>
                {label}: not offered, {reason}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type RowProps = { one: Offered; most: number; isChosen: boolean; onChoose: () => void };

function CriterionRow({ one, most, isChosen, onChoose }: RowProps) {
  const seconds =
    one.dashboard_selector?.measurement_seconds ?? DEFAULT_SETTINGS.measurement_seconds ?? 0;
  const shown = (value: number | null) => (value === null ? '–' : formatValue(value, one.unit));
  return (
    <tr data-chosen={isChosen || undefined} onClick={onChoose}>
      <td>
        <Radio
          name="criterion"
          checked={isChosen}
          onChange={onChoose}
          label={
            <>
              <IdentifierText text={one.label} />
              {one.unit.endsWith('/request') && ' per request'}
            </>
          }
          description={one.separation === null ? one.reason : undefined}
        />
      </td>
      <td>{shown(one.before)}</td>
      <td>{shown(one.after)}</td>
      <td>
        {one.separation === null ? (
          <span className="muted">not known</span>
        ) : (
          <span className={classes.separation}>
            <i style={{ width: `${(100 * one.separation) / most}px` }} aria-hidden />
            {one.separation < 10 ? one.separation.toFixed(1) : Math.round(one.separation)}
          </span>
        )}
      </td>
      <td>{one.kind === 'custom' ? '–' : secondsText(seconds)}</td>
    </tr>
  );
}
