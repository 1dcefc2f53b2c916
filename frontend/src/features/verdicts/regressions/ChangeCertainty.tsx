import type { Regression } from '../../../api';
import { Term } from '../../../ui/Terms';
import { changeText, rangeText } from './regression-wording';

/** How much a series changed, and in words how certain that is; the interval is behind the words. */
export function ChangeCertainty({ regression }: { regression: Regression }) {
  const { ratio_low: low, ratio_high: high } = regression;
  const range = rangeText(regression);
  return (
    <>
      <b>{changeText(regression)}</b>{' '}
      {range !== '' && (
        <Term name="confidence interval" detail={`95% interval ${range}`}>
          {low !== null && high !== null && (low > 1 || high < 1) ? 'significant' : 'inconclusive'}
        </Term>
      )}
    </>
  );
}
