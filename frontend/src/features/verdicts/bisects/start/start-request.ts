/** The request of a bisect, and the choices from which the start page makes it. */
import type { BisectProposalOut, BisectSettings, BisectWords, RangeEndOut } from '../../../../api';
import { shortCommit } from '../../../../lib/commits';
import type { Subject } from '../shared/bisect-queries';
import { DEFAULT_SETTINGS } from '../shared/bisect-settings';

export type ChosenEnd = Pick<RangeEndOut, 'name' | 'sha' | 'title' | 'at'>;
export type StartChoice = {
  serviceId: string | null;
  repositoryId: string | null;
  good: ChosenEnd | null;
  bad: ChosenEnd | null;
  /** `kind subject` of the signature; null: the best one. */
  signature: string | null;
  settings: BisectSettings;
};
type Offered = BisectProposalOut['signatures'][number];

/** The choices of a new page; everything else comes from the proposal. */
export const NOTHING_CHOSEN: StartChoice = {
  serviceId: null,
  repositoryId: null,
  good: null,
  bad: null,
  signature: null,
  settings: DEFAULT_SETTINGS,
};

export const signatureKey = ({ kind, subject }: Pick<Offered, 'kind' | 'subject'>): string =>
  `${kind} ${subject}`;

export const chosenSignature = (
  offer: BisectProposalOut,
  { signature }: StartChoice,
): Offered | undefined =>
  offer.signatures.find((one) => signatureKey(one) === signature) ?? offer.signatures[0];

/** Returns the chosen end, or the one of the proposal. */
export function endOf(
  offer: BisectProposalOut,
  choice: StartChoice,
  side: 'good' | 'bad',
): ChosenEnd | null {
  const known = offer[side];
  return choice[side] ?? (known && { name: shortCommit(known.sha), ...known });
}

/**
 * Returns the settings for a signature: for latency, those of the dashboard, and windows as long as
 * its traffic requires.
 */
function settingsFor(
  settings: BisectSettings,
  { dashboard_selector: selector }: Pick<Offered, 'dashboard_selector'>,
): BisectSettings {
  if (!selector) {
    const { measurement_seconds } = settings.dashboard_selector ? DEFAULT_SETTINGS : settings;
    return { ...settings, dashboard_selector: null, measurement_seconds };
  }
  const { environment_id, measurement_seconds } = selector;
  return {
    ...settings,
    dashboard_selector: { environment_id, match: settings.dashboard_selector?.match ?? 'instance' },
    measurement_seconds: Math.max(measurement_seconds ?? 0, settings.measurement_seconds ?? 0),
  };
}

/** Returns the body of the request, which is checked first and then starts the bisect. */
export function requestOf(
  subject: Subject | null,
  offer: BisectProposalOut,
  choice: StartChoice,
): BisectWords {
  const signature = chosenSignature(offer, choice);
  const settings = signature ? settingsFor(choice.settings, signature) : choice.settings;
  return {
    ...subject,
    service_id: choice.serviceId ?? offer.service?.id,
    repository_id: choice.repositoryId ?? offer.repository?.id,
    good_sha: endOf(offer, choice, 'good')?.sha,
    bad_sha: endOf(offer, choice, 'bad')?.sha,
    signature: signature && { kind: signature.kind, subject: signature.subject },
    settings: {
      ...settings,
      use_production_baselines:
        signature?.production_baselines != null && settings.use_production_baselines,
    },
  };
}
