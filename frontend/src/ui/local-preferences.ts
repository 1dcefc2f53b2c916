/** What one person prefers in this browser. Storage may be full or forbidden: then a preference lasts for the page. */
const prefix = 'slowpath-';

export function getPreference(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

export function setPreference(name: string, value: string): void {
  try {
    localStorage.setItem(prefix + name, value);
  } catch {
    // see above
  }
}
