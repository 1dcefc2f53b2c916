/** Fills the URL template of the team's dashboard in Grafana. */

/**
 * A range in milliseconds since 1970, or in Grafana's syntax for a range that ends now (`now-4h` to
 * `now`).
 */
type DashboardPlace = {
  service: string;
  environment: string;
  from: number | string;
  to: number | string;
};

/**
 * The server accepts the same URLs. Stored templates are checked again, because they become links.
 */
const ALLOWED = /^https?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?(\/|$)/u;

/** Returns null if the template is not a valid URL of a link. */
export function dashboardAddress(template: string, place: DashboardPlace): string | null {
  if (!ALLOWED.test(template)) return null;
  return template.replace(/\{(service|environment|from|to)\}/gu, (_all, name: string) =>
    encodeURIComponent(place[name as keyof DashboardPlace]),
  );
}
