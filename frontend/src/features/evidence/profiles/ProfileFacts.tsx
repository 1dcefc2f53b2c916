import type { ProfileSummary } from '../../../api';
import { DetailsList, Timestamp, countText, durationText } from '../../../ui';

/** A short summary of a decoded profile. */
export function ProfileFacts({ profile }: { profile: ProfileSummary }) {
  const types = profile.sample_types.map((type, index) => {
    const words = `${type.type ?? '?'} in ${type.unit ?? '?'}`;
    return index === profile.default_sample_type ? `${words} (usual)` : words;
  });
  const cut = profile.samples > 0 ? (100 * profile.truncated_samples) / profile.samples : 0;
  return (
    <>
      <DetailsList
        facts={[
          ['kind', profile.kind],
          ['measures', types.join(', ')],
          [
            'lasted',
            profile.duration_ns > 0 ? (
              durationText(profile.duration_ns)
            ) : (
              <span className="muted">unknown</span>
            ),
          ],
          [
            'begun',
            profile.time_ns > 0 ? (
              <Timestamp key="t" at={new Date(profile.time_ns / 1e6).toISOString()} exact />
            ) : (
              <span className="muted">unknown</span>
            ),
          ],
          ['samples', countText(profile.samples)],
          ['different stacks', countText(profile.stacks)],
          ['functions', countText(profile.functions)],
          [
            'truncated stacks',
            profile.truncated_samples > 0
              ? `${countText(profile.truncated_samples)} (${cut.toFixed(1)}% of samples), matched from their leaves`
              : 'none',
          ],
        ]}
      />
      {profile.warnings.length > 0 && (
        <ul>
          {profile.warnings.map((warning, index) => (
            <li key={index} className="t2">
              {warning}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
