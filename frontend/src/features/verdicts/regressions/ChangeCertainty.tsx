import type { Regression } from '../../../api';
import { Certainty } from '../../../ui/Certainty';
import { changeText, rangeText } from './regression-wording';

/**
 * Shows how much a series changed and in words how certain that is; the interval is in a popover.
 */
export function ChangeCertainty({ regression }: { regression: Regression }) {
  const { ratio_low: low, ratio_high: high } = regression;
  return (
    <>
      <b>{changeText(regression)}</b>{' '}
      {low !== null && high !== null && (
        <Certainty low={low} high={high} text={rangeText(regression)} />
      )}
    </>
  );
}
